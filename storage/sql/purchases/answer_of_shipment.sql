-- Returns the last purchase of a shipment as answers show it. No row if none was requested.
-- $1 business uuid, $2 shipment uuid
select
\ir answer.inc
from purchases p
where p.business_id = $1::uuid and p.shipment_id = $2::uuid and p.stray_of is null
order by p.attempt desc limit 1
