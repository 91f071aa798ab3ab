-- Returns the numbers of a business's shipments by status, and the rate of on-time deliveries.
-- runs: long
-- $1 business uuid
select count(*) as "totalShipments",
       count(*) filter (where r.status in ('collected', 'in_transit', 'out_for_delivery')) as "inTransit",
       count(*) filter (where r.status = 'delivered') as "delivered",
       count(*) filter (where r.status = 'exception') as "exceptions",
       count(*) filter (where r.status = 'created') as "pending",
       coalesce(count(*) filter (where r.status = 'delivered' and on_time(r))::float8
                / nullif(count(*) filter (where r.status = 'delivered'), 0), 0) as "onTimeRate"
from shipments r where r.business_id = $1 and r.deleted_at is null
