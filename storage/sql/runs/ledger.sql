-- Returns counts of a business's events in a period and of their runs, all from one snapshot, and whether
-- they balance. The run of a digest counts at the time of its first event, and each event that a digest has
-- collected at its own time.
-- $1 business uuid, $2 from timestamptz, $3 end timestamptz (exclusive)
with kept as (
  select count(*) as events from events e
  where e.business_id = $1::uuid and e.at >= $2::timestamptz and e.at < $3::timestamptz
), waiting as (
  select count(*) as pending from pending_events p
  where p.shard = shard_of($1::uuid) and p.business_id = $1::uuid and p.at >= $2::timestamptz and p.at < $3::timestamptz
), counted as (
  select count(distinct (event_id, workflow_id)) filter (where trigger_code <> 'digest') as matched, count(*) as total,
         count(*) filter (where trigger_code = 'digest') as digests,
         count(*) filter (where status = 'succeeded') as succeeded, count(*) filter (where status = 'dead') as dead,
         count(*) filter (where status = 'skipped') as skipped,
         count(*) filter (where status not in ('succeeded', 'dead', 'skipped')) as open, coalesce(sum(attempts), 0) as tries
  from all_runs r
  where r.business_id = $1::uuid and r.created_at >= $2::timestamptz and r.created_at < $3::timestamptz
    and r.replay_of is null
), digest_runs as materialized (
  select r.guid from all_runs r
  where r.business_id = $1::uuid and r.entity_id = '00000000-0000-0000-0000-000000000000' and r.trigger_code = 'digest'
    and r.replay_of is null and (r.status <> 'waiting' or r.status = 'waiting')  -- the predicates of the two partial indexes
), collected as (
  select count(*) as events, count(*) filter (where e.is_dropped) as dropped,
         count(*) filter (where not e.is_dropped and d.guid is not null) as open,
         count(*) filter (where not e.is_dropped and d.guid is null and r.guid is not null) as in_runs
  from digest_events e
  left join digests d on d.business_id = e.business_id and d.guid = e.digest_id
  left join digest_runs r on r.guid = e.digest_id
  where e.business_id = $1::uuid and e.event_at >= $2::timestamptz and e.event_at < $3::timestamptz
)
select k.events, w.pending, c.matched + d.events as matched, c.total as "runs.total", c.succeeded as "runs.succeeded", c.dead as "runs.dead",
       c.skipped as "runs.skipped", c.open as "runs.open", c.tries,
       d.events as "digests.events", d.open as "digests.collected", d.dropped as "digests.dropped", c.digests as "digests.runs",
       c.matched = c.total - c.digests and c.total = c.succeeded + c.dead + c.skipped + c.open
         and d.events = d.open + d.dropped + d.in_runs as balanced
from kept k, waiting w, counted c, collected d
