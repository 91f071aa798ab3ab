-- Returns a carrier with its configuration.
-- $1 business uuid, $2 carrier uuid
select k.guid, k.name, k.code, k.type, g.carrier_id is not null as "isConfigured",
       coalesce(g.is_active, false) as "isActive", k.service_levels as "serviceLevels",
       g.account_number as "configuration.accountNumber", g.default_service_level as "configuration.defaultServiceLevel",
       k.features, k.tracking_url_pattern as "trackingUrlPattern"
from carriers k
left join carrier_configurations g on g.business_id = $1 and g.carrier_id = k.guid
where k.business_id in ($1, catalogue_business()) and k.guid = $2 and k.deleted_at is null
