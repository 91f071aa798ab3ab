-- Returns workflows that have only failed for a period p: a run failed between 2p and p ago, a run failed
-- since, and none succeeded after the former. The search reads the index of dead runs first. It looks for
-- successes, newest first, only for workflows that these failures make suspects. It stores the last success,
-- so that a workflow with occasional failures is searched once per period, and a workflow that always fails
-- is searched only once before it is paused.
-- $1 period interval, $2 longest_run interval
-- -> business_id uuid, guid uuid, epoch bigint, name text, business_name text, contacts text or null
with judged as (
  select w.business_id, w.guid, w.epoch, w.name,
         now() - 2 * $1::interval - $2::interval - coalesce(w.delay::interval, '0')
           - case when w.workdays then interval '60 days' else '0' end as oldest,
         greatest(now() - 2 * $1::interval, w.judged_since, h.succeeded_at) as since
  from workflows w left join workflow_health h on h.business_id = w.business_id and h.workflow_id = w.guid
  where w.is_active and w.paused_reason is null and w.deleted_at is null and w.judged_since <= now() - $1::interval
), suspects as materialized (
  select * from judged j
  where (select r.finished_at from runs r
         where r.business_id = j.business_id and r.workflow_id = j.guid and r.status = 'dead'
           and r.finished_at > j.since and r.finished_at <= now() - $1::interval
           and r.created_at > j.oldest and r.created_at <= now() - $1::interval
         order by r.finished_at limit 1) is not null
    and (select r.finished_at from runs r
         where r.business_id = j.business_id and r.workflow_id = j.guid and r.status = 'dead'
           and r.finished_at > now() - $1::interval and r.created_at > j.oldest and r.created_at <= now()
         order by r.finished_at limit 1) is not null
), examined as materialized (
  select s.*, coalesce(
           (select r.finished_at from runs r
            where r.business_id = s.business_id and r.workflow_id = s.guid and r.status = 'succeeded'
              and r.guid >= first_guid(now() - $1::interval) and r.created_at > now() - $1::interval
            order by r.guid desc limit 1),
           (select max(r.finished_at) from runs r
            where r.business_id = s.business_id and r.workflow_id = s.guid and r.status = 'succeeded'
              and r.guid >= first_guid(s.oldest) and r.guid <= first_guid(now() - $1::interval)
              and r.created_at > s.oldest and r.created_at <= now() - $1::interval)) as succeeded_at
  from suspects s
), noted as (
  insert into workflow_health (business_id, workflow_id, succeeded_at)
  select e.business_id, e.guid, e.succeeded_at
  from examined e join workflows w on w.business_id = e.business_id and w.guid = e.guid
  where e.succeeded_at is not null
  for key share of w skip locked  -- a deletion waits, so that it sees the row; a locked workflow is left to the next pass
  on conflict (business_id, workflow_id)
  do update set succeeded_at = greatest(workflow_health.succeeded_at, excluded.succeeded_at)
)
select e.business_id, e.guid, e.epoch, e.name, b.name as business_name, contact_addresses(e.business_id) as contacts
from examined e join businesses b on b.guid = e.business_id
where (select r.finished_at from runs r
       where r.business_id = e.business_id and r.workflow_id = e.guid and r.status = 'dead'
         and r.finished_at > greatest(e.since, e.succeeded_at) and r.finished_at <= now() - $1::interval
         and r.created_at > e.oldest and r.created_at <= now() - $1::interval
       order by r.finished_at limit 1) is not null
limit 500
