-- Returns a shipment with all its fields.
-- $1 business uuid, $2 shipment uuid, $3 public_url text (without a trailing slash)
select
\ir answer.inc
from shipments r
left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
left join carriers k on k.business_id in (r.business_id, catalogue_business()) and k.guid = r.carrier_id
where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
