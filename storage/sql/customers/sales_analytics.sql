-- Returns totals of a customer's orders and shipments. Draft and cancelled orders do not count. Amounts of different currencies
-- are never added: the value is that of the currency of most orders; of equally many, that of the business first.
-- runs: long
-- $1 business uuid, $2 customer uuid
select coalesce(o.orders, 0) as "totalOrders", s.shipments as "totalShipments", coalesce(o.values[1], 0) as "totalValue",
       coalesce(round(o.values[1] / o.counts[1], 2), 0) as "averageOrderValue",
       coalesce(o.currencies[1], b.currency) as "currency", coalesce(o.sums, '[]') as "byCurrency",
       case when s.delivered > 0 then round(s.on_time::numeric / s.delivered, 4) else 0 end as "onTimeDeliveryRate"
from customers c
join businesses b on b.guid = $1
cross join lateral (
  select sum(t.orders)::bigint as orders, array_agg(t.orders order by t.place) as counts,
         array_agg(t.value order by t.place) as values, array_agg(t.currency order by t.place) as currencies,
         jsonb_agg(jsonb_build_object('currency', t.currency, 'orders', t.orders, 'value', trim_scale(t.value)) order by t.place) as sums
  from (select currency, count(*) as orders, coalesce(sum(total_value), 0) as value,
               row_number() over (order by count(*) desc, currency <> b.currency, currency) as place
        from orders
        where business_id = $1 and customer_id = c.guid and deleted_at is null and status not in ('draft', 'cancelled')
        group by currency) t
) o
cross join lateral (
  select count(*) as shipments, count(*) filter (where status = 'delivered') as delivered,
         count(*) filter (where status = 'delivered' and on_time(s)) as on_time
  from shipments s where business_id = $1 and customer_id = c.guid and deleted_at is null
) s
where c.business_id = $1 and c.guid = $2 and c.deleted_at is null
