-- Returns businesses whose runs do not balance for the events of a period: an event and workflow have several
-- runs, a run has an unknown status, or a run's event is still pending (both change in one transaction) or
-- does not exist. Runs of timers have a negative event_id and no event. A run's guid begins with its event's time, so
-- each business's part is a range of the key.
-- $1 first_time timestamptz, $2 end_time timestamptz (exclusive)
-- -> guid uuid, runs bigint, pairs bigint, counted bigint, early bigint, baseless bigint
select b.guid, l.runs, l.pairs, l.counted, l.early, l.baseless
from businesses b, lateral (
  select sum(p.runs)::bigint as runs, count(*) as pairs, sum(p.counted)::bigint as counted,
         coalesce(sum(p.runs) filter (where exists (select from pending_events e
                                                    where e.shard = shard_of(b.guid) and e.id = p.event_id)), 0)::bigint as early,
         coalesce(sum(p.runs) filter (where p.event_id >= 0 and not exists (select from events e
                                                        where e.id = p.event_id and e.at = p.at)), 0)::bigint as baseless
  from (
    select event_id, created_at as at, workflow_id, count(*) as runs,
           count(*) filter (where status in ('succeeded', 'dead', 'skipped', 'waiting', 'queued', 'running', 'retrying', 'held'))
             as counted
    from all_runs
    where business_id = b.guid and replay_of is null and created_at >= $1::timestamptz and created_at < $2::timestamptz
      and guid >= first_guid($1::timestamptz) and guid < first_guid($2::timestamptz)
    group by event_id, created_at, workflow_id
  ) p
) l
where l.runs <> l.pairs or l.runs <> l.counted or l.early > 0 or l.baseless > 0
order by b.guid
limit 100
