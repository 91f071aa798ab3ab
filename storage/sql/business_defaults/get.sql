-- Returns a business's defaults. Columns without a value have the values that the API shows until one is set.
-- $1 business uuid
select d.carrier_id as "defaultCarrier", coalesce(d.service_level, 'standard') as "defaultServiceLevel",
       coalesce(d.length, 30) as "defaultDimensions.length", coalesce(d.width, 20) as "defaultDimensions.width",
       coalesce(d.height, 10) as "defaultDimensions.height", coalesce(d.unit, 'cm') as "defaultDimensions.unit",
       coalesce(d.email_enabled, true) as "notifications.emailEnabled",
       coalesce(d.push_enabled, true) as "notifications.pushEnabled"
from (select $1::uuid as business_id) b
left join business_defaults d on d.business_id = b.business_id
