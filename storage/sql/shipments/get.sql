-- Returns a shipment with all its fields, and whether a purchase of its label was requested.
-- $1 business uuid, $2 shipment uuid, $3 public_url text (without a trailing slash)
-- -> has_purchase boolean, ...
select exists (select from purchases p where p.business_id = $1 and p.shipment_id = $2) as has_purchase,
\ir answer.inc
from shipments r
left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
left join carriers k on k.business_id in (r.business_id, catalogue_business()) and k.guid = r.carrier_id
where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
