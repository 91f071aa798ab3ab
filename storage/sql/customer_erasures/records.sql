-- Returns the records of a customer, deleted ones included: 0 and the guid of an order, 1 and that of a shipment.
-- $1 business uuid, $2 customer uuid
-- -> kind int, guid uuid
with own_orders as materialized (
  select guid from orders where business_id = $1 and customer_id = $2 and deleted_at is null
  union all
  select guid from orders where business_id = $1 and customer_id = $2 and deleted_at is not null
)
select 0 as kind, guid from own_orders
union all
(select 1, guid from shipments where business_id = $1 and customer_id = $2 and deleted_at is null
 union
 select 1, guid from shipments where business_id = $1 and customer_id = $2 and deleted_at is not null
 union
 select 1, s.guid from own_orders o join shipments s on s.business_id = $1 and s.order_id = o.guid and s.deleted_at is null
 union
 select 1, s.guid from own_orders o
 join shipments s on s.business_id = $1 and s.order_id = o.guid and s.deleted_at is not null)
order by 1, 2
