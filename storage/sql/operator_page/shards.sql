-- Returns the shards of each worker, and how long its oldest unmatched event has waited, for the page for operators: the worker
-- that lags most is first. The names of the columns are its headings.
select coalesce(max(w.name), case when o.owner is null then 'no worker' else 'a worker that has ended' end) as "Worker",
       count(*) as "Shards", max(o.lease_end)::timestamptz(0) as "Lease until", round(max(o.lag)::numeric, 1) as "Lag, s"
from (
  select s.owner, b.expires_at as lease_end,
         coalesce(extract(epoch from clock_timestamp() - case
           when b.expires_at > clock_timestamp() then b.matched_at
           else (select p.at from pending_events p where p.shard = s.shard order by p.id limit 1)
         end), 0) as lag
  from shards s
  left join lateral (select expires_at, matched_at from worker_beats where worker = s.owner order by id desc limit 1) b
    on true
) o
left join workers w on w.guid = o.owner
group by o.owner
order by max(o.lag) desc, 1 limit 200
