-- Returns the twenty newest shipments of a customer, each preceded by true; one row with false if there are
-- none. No row if the customer does not exist.
-- $1 business uuid, $2 customer uuid
-- -> has_shipments boolean, ...
select s.guid is not null as has_shipments, s.guid, s.tracking_number as "trackingNumber", s.status,
       coalesce(s.delivered_at, s.estimated_delivery) as "deliveryDate"
from customers c
left join lateral (
  select * from shipments where business_id = $1 and customer_id = c.guid and deleted_at is null
  order by created_at desc, guid desc limit 20
) s on true
where c.business_id = $1 and c.guid = $2 and c.deleted_at is null
order by s.created_at desc, s.guid desc
