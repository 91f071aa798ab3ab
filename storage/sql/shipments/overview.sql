-- Returns the numbers of a business's shipments by status, the rate of on-time deliveries, and by currency the number of its
-- bought labels and their price. Test labels do not count (purchases/sums.sql), nor do labels of which no price is known.
-- runs: long
-- $1 business uuid
select count(*) as "totalShipments",
       count(*) filter (where r.status in ('collected', 'in_transit', 'out_for_delivery')) as "inTransit",
       count(*) filter (where r.status = 'delivered') as "delivered",
       count(*) filter (where r.status = 'exception') as "exceptions",
       count(*) filter (where r.status = 'created') as "pending",
       coalesce(count(*) filter (where r.status = 'delivered' and on_time(r))::float8
                / nullif(count(*) filter (where r.status = 'delivered'), 0), 0) as "onTimeRate",
       coalesce((select jsonb_agg(jsonb_build_object('currency', c.currency, 'labels', c.labels, 'paid', c.paid)
                                  order by c.currency)
                 from (select p.currency, count(*) as labels, sum(p.price) as paid from purchases p
                       where p.business_id = $1 and p.status in ('bought', 'voiding') and p.test_mode is not true
                         and p.price is not null and p.currency is not null
                       group by p.currency) c), '[]') as "labelCosts"
from shipments r where r.business_id = $1 and r.deleted_at is null
