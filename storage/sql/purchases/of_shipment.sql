-- Returns all purchases of a shipment as answers show them, the newest first. A label that turned up in addition precedes its
-- purchase.
-- $1 business uuid, $2 shipment uuid
select
\ir answer.inc
from purchases p
where p.business_id = $1::uuid and p.shipment_id = $2::uuid
order by p.attempt desc, p.stray_of nulls last, p.bought_at desc
