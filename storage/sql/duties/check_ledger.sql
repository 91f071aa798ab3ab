-- Businesses whose runs of the events from $1 on and before $2 do not balance: a pair of event and workflow has more than
-- one run, a run has no status that counts, its event is still pending (it leaves with the run, in one transaction), or
-- never was. A run's guid begins with its event's time, so each business's part is a range of the key.
select b.guid, l.runs, l.pairs, l.counted, l.early, l.baseless
from businesses b, lateral (
  select count(*) as runs, count(distinct (r.event_id, r.workflow_id)) as pairs,
         count(*) filter (where r.status in ('succeeded', 'dead', 'skipped', 'waiting', 'queued', 'running', 'retrying', 'held'))
           as counted,
         count(*) filter (where exists (select from pending_events p
                                        where p.shard = shard_of(r.business_id) and p.id = r.event_id)) as early,
         count(*) filter (where not exists (select from events e where e.id = r.event_id and e.at = r.created_at)) as baseless
  from all_runs r
  where r.business_id = b.guid and r.replay_of is null and r.created_at >= $1::timestamptz and r.created_at < $2::timestamptz
    and r.guid >= first_guid($1::timestamptz) and r.guid < first_guid($2::timestamptz)
) l
where l.runs <> l.pairs or l.runs <> l.counted or l.early > 0 or l.baseless > 0
order by b.guid
limit 100
