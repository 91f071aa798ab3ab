-- Returns businesses whose runs do not balance for the events of a period: an event and workflow have several
-- runs, a run has an unknown status, or a run's event is still pending (both change in one transaction) or
-- does not exist; or an event that a digest has collected is in no digest and no run. Runs of timers have a negative event_id and no event. A run's guid begins with its event's time, so
-- each business's part is a range of the key.
-- $1 first_time timestamptz, $2 end_time timestamptz (exclusive)
-- -> guid uuid, runs bigint, pairs bigint, counted bigint, early bigint, baseless bigint,
-- lost bigint
select b.guid, coalesce(l.runs, 0) as runs, l.pairs, coalesce(l.counted, 0) as counted, l.early, l.baseless, c.lost
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
cross join lateral (
  select count(*) as lost
  from digest_events e
  where e.business_id = b.guid and e.at >= $1::timestamptz and e.at < $2::timestamptz
    and e.digest_id >= first_guid($1::timestamptz) and e.digest_id < first_guid($2::timestamptz) and not e.is_dropped
    and not exists (select from digests d where d.business_id = e.business_id and d.guid = e.digest_id)
    and not exists (select from all_runs r where r.business_id = e.business_id and r.guid = e.digest_id)
) c
where l.runs <> l.pairs or l.runs <> l.counted or l.early > 0 or l.baseless > 0 or c.lost > 0
order by b.guid
limit 100
