-- Returns counts of a business's events in a period and of their runs, all from one snapshot, and whether
-- they balance.
-- $1 business uuid, $2 from timestamptz, $3 end timestamptz (exclusive)
with kept as (
  select count(*) as events from events e
  where e.business_id = $1::uuid and e.at >= $2::timestamptz and e.at < $3::timestamptz
), waiting as (
  select count(*) as pending from pending_events p
  where p.shard = shard_of($1::uuid) and p.business_id = $1::uuid and p.at >= $2::timestamptz and p.at < $3::timestamptz
), counted as (
  select count(distinct (event_id, workflow_id)) as matched, count(*) as total,
         count(*) filter (where status = 'succeeded') as succeeded, count(*) filter (where status = 'dead') as dead,
         count(*) filter (where status = 'skipped') as skipped,
         count(*) filter (where status not in ('succeeded', 'dead', 'skipped')) as open, coalesce(sum(attempts), 0) as tries
  from all_runs r
  where r.business_id = $1::uuid and r.created_at >= $2::timestamptz and r.created_at < $3::timestamptz
    and r.replay_of is null
)
select k.events, w.pending, c.matched, c.total as "runs.total", c.succeeded as "runs.succeeded", c.dead as "runs.dead",
       c.skipped as "runs.skipped", c.open as "runs.open", c.tries,
       c.matched = c.total and c.total = c.succeeded + c.dead + c.skipped + c.open as balanced
from kept k, waiting w, counted c
