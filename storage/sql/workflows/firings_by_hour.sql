-- Returns the firings of a business's workflows in each of the last 24 hours, the present one last; no row for a workflow
-- without any.
-- $1 business uuid
-- -> guid uuid, counts text
with hours as (
  select generate_series(date_trunc('hour', now() - interval '23 hours', 'UTC'), now(), '1 hour') as hour
), fired as (
  select f.workflow_id, f.hour, f.count + f.held as count from workflow_firings f
  where f.business_id = $1::uuid and f.hour >= (select min(hour) from hours)
)
select w.workflow_id as guid, jsonb_agg(coalesce(f.count, 0) order by h.hour)::text as counts
from (select distinct workflow_id from fired) w
cross join hours h
left join fired f on f.workflow_id = w.workflow_id and f.hour = h.hour
group by w.workflow_id
