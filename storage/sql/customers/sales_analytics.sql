-- Returns totals of a customer's orders and shipments. Draft and cancelled orders do not count.
-- runs: long
-- $1 business uuid, $2 customer uuid
select o.orders as "totalOrders", s.shipments as "totalShipments", o.value as "totalValue",
       case when o.orders > 0 then round(o.value / o.orders, 2) else 0 end as "averageOrderValue",
       case when s.delivered > 0 then round(s.on_time::numeric / s.delivered, 4) else 0 end as "onTimeDeliveryRate"
from customers c
cross join lateral (
  select count(*) as orders, coalesce(sum(total_value), 0) as value from orders
  where business_id = $1 and customer_id = c.guid and deleted_at is null and status not in ('draft', 'cancelled')
) o
cross join lateral (
  select count(*) as shipments, count(*) filter (where status = 'delivered') as delivered,
         count(*) filter (where status = 'delivered' and on_time(s)) as on_time
  from shipments s where business_id = $1 and customer_id = c.guid and deleted_at is null
) s
where c.business_id = $1 and c.guid = $2 and c.deleted_at is null
