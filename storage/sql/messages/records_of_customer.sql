-- Returns the guids of a customer, of its newest orders and shipments, and of the shipments of these orders. No row if there is no
-- such customer.
-- $1 business uuid, $2 customer uuid, $3 limit bigint (of orders, and of shipments)
-- -> guid uuid
with customer as materialized (
  select guid from customers where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
), newest_orders as materialized (
  select o.guid
  from customer c
  cross join lateral (select guid from orders
                      where business_id = $1::uuid and customer_id = c.guid and deleted_at is null
                      order by created_at desc, guid desc limit $3::bigint) o
)
select guid from customer
union
select guid from newest_orders
union
select s.guid
from customer c
cross join lateral (select guid from shipments
                    where business_id = $1::uuid and customer_id = c.guid and deleted_at is null
                    order by created_at desc limit $3::bigint) s
union
select s.guid
from newest_orders o
join shipments s on s.business_id = $1::uuid and s.order_id = o.guid and s.deleted_at is null
