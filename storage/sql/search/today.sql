-- Returns the numbers of a business that someone looks at every day. Those of records are sums of status_counts, as the totals
-- of lists are (decision 30). Shipments whose day of delivery is over are counted in the index alone; for those of the present
-- day it matters whether their time is an exact one (is_late).
-- runs: long
-- $1 business uuid
-- -> orders jsonb, late bigint, exception bigint, routes bigint, dead bigint, paused bigint, silent bigint, failing bigint,
-- unknown bigint
with moved as (
  select n.entity_type, m.status, sum(m.delta)::bigint as records
  from status_counts n cross join lateral (values (n.status_after, n.records), (n.status_before, -n.records)) m (status, delta)
  where n.business_id = $1::uuid and m.status is not null
  group by n.entity_type, m.status
), today as (
  select date_trunc('day', now(), 'UTC') as starts
), watched as (
  select count(*) filter (where w.paused_reason is not null) as paused, count(*) filter (where f.silent_since is not null) as silent
  from workflows w
\ir ../workflows/watch_of.inc
  where w.business_id = $1::uuid and w.deleted_at is null
)
select (select coalesce(jsonb_object_agg(status, records), '{}') from moved where entity_type = 0) as orders,
       ((select count(*) from shipments s
         where s.business_id = $1::uuid and s.deleted_at is null and s.status not in ('delivered', 'returned', 'cancelled')
           and s.estimated_delivery < (select starts from today))
        + (select count(*) from shipments s
           where s.business_id = $1::uuid and s.deleted_at is null and s.estimated_delivery >= (select starts from today)
             and is_late(s))) as late,
       coalesce((select records from moved where entity_type = 1 and status = 'exception'), 0) as exception,
       (select count(*) from dispatches d
        where d.business_id = $1::uuid and d.deleted_at is null and d.status = 'in_progress') as routes,
       (select coalesce(sum(c.runs), 0)::bigint
        from run_counts c join workflows w on w.business_id = c.business_id and w.guid = c.workflow_id and w.deleted_at is null
        where c.business_id = $1::uuid and c.unit = 'hour' and c.status = 'dead'
          and c.start >= date_trunc('hour', now() - interval '24 hours', 'UTC')) as dead,
       w.paused, w.silent,
       (select count(*) from integrations i
        where i.business_id = $1::uuid and i.removed_at is null and i.status = 'active' and i.failures > 0) as failing,
       (select count(*) from purchases p where p.business_id = $1::uuid and p.status = 'unknown') as unknown
from watched w
