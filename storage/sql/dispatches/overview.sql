-- Returns a summary of a business's dispatches. "Today" is a day of the business's time zone; on-time
-- deliveries are defined as in shipments/overview.sql.
-- runs: long
-- $1 business uuid
with day as (
  select date_trunc('day', now() at time zone timezone) at time zone timezone as starts from businesses where guid = $1
), counts as (
  select count(*) as total, count(*) filter (where d.status = 'in_progress') as active,
         count(*) filter (where d.status = 'completed' and d.ended_at >= day.starts) as completed
  from dispatches d, day where d.business_id = $1 and d.deleted_at is null
), carried as (
  select count(*) filter (where not is_final(s.status)) as pending,
         count(*) filter (where s.status = 'delivered') as delivered,
         count(*) filter (where s.status = 'delivered' and on_time(s)) as on_time
  from shipments s where s.business_id = $1 and s.dispatch_id is not null and s.deleted_at is null
)
select c.total as "totalDispatches", c.active as "activeDispatches", c.completed as "completedToday",
       k.pending as "pendingDeliveries",
       (select count(*) from drivers where business_id = $1 and status = 'on_duty' and deleted_at is null) as "driversActive",
       coalesce(round(k.on_time::numeric / nullif(k.delivered, 0), 4), 0) as "onTimeRate"
from counts c, carried k
