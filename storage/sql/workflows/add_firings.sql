-- Adds to the counts of firings of the current hour.
-- $1 businesses uuid[], $2 workflows uuid[], $3 counts bigint[]
insert into workflow_firings (business_id, workflow_id, hour, count)
select a.business_id, a.workflow_id, date_trunc('hour', now()), a.count
from unnest($1::uuid[], $2::uuid[], $3::bigint[]) a (business_id, workflow_id, count)
order by a.business_id, a.workflow_id
on conflict (business_id, workflow_id, hour) do update set count = workflow_firings.count + excluded.count
