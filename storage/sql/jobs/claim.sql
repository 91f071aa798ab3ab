-- Leases the next due job. Businesses take turns, the one with the fewest jobs under way first. Jobs of a suspended business
-- wait, but one that is stopped ends. Jobs that another release has accepted are left to its processes for an hour.
-- $1 lease uuid, $2 lease_time interval, $3 most_of_business bigint (jobs under way),
-- $4 operations text[] (those that the process knows)
-- -> business_id uuid, guid uuid, kind text, operation text, started_at timestamptz, done bigint, total bigint or null,
-- place text or null, failures int, is_stopped boolean, was_interrupted boolean
with busy as (
  select business_id, count(*) as jobs from jobs where status = 'running' and lease_until > now() group by business_id
), due as (
  select j.business_id, j.guid, j.due_at, coalesce(b.jobs, 0) as jobs
  from jobs j
  join businesses o on o.guid = j.business_id and (o.suspended_at is null or j.stop is not null)
  left join busy b on b.business_id = j.business_id
  where j.status = 'running' and j.due_at <= now() and (j.lease_until is null or j.lease_until <= now())
    and coalesce(b.jobs, 0) < $3::bigint
    and (j.operation = any ($4::text[]) or j.due_at < now() - interval '1 hour')
), held as materialized (
  select j.business_id, j.guid, j.lease_owner is not null as was_interrupted
  from due d join jobs j on j.business_id = d.business_id and j.guid = d.guid
  where j.status = 'running' and j.due_at <= now() and (j.lease_until is null or j.lease_until <= now())
  order by d.jobs, d.due_at, d.guid limit 1
  for no key update of j skip locked
)
update jobs j
set lease_owner = $1::uuid, lease_until = clock_timestamp() + $2::interval, failures = j.failures + 1
from held h where j.business_id = h.business_id and j.guid = h.guid
returning j.business_id, j.guid, j.kind, j.operation, j.started_at, j.done, j.total, j.place, j.failures,
          j.stop is not null as is_stopped, h.was_interrupted
