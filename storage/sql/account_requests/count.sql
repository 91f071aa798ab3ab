-- Counts a request for an account mail against the hourly limits of the sender and the recipient. 0 means
-- no limit. Returns one row for each limit: whether it is the sender's, whether the request is within it,
-- when it was counted, and the seconds until a request fits again. A request beyond a limit is not counted
-- there; the recipient's is counted only if the sender is within its limit. A request that a wrong clock has dated in the
-- future does not count.
-- $1 sender text, $2 sender_limit int (per hour), $3 recipient text, $4 recipient_limit int (per hour)
-- -> is_sender boolean, is_within boolean, at timestamptz, seconds_left int
with sender as (
  insert into account_requests as r (key, times)
  select sha256(convert_to(lower($1::text), 'UTF8')), array[now()] where $2::integer > 0
  on conflict (key) do update
  set times = (select case when count(*) < $2::integer then coalesce(array_agg(t order by t), '{}') || now()
                           else array_agg(t order by t) end
               from unnest(r.times) t
               where t > now() - interval '1 hour' and t < now() + interval '1 minute')
  returning times, times[cardinality(times)] = now() as is_within
), recipient as (
  insert into account_requests as r (key, times)
  select sha256(convert_to(lower($3::text), 'UTF8')), array[now()]
  where $4::integer > 0 and coalesce((select is_within from sender), true)
  on conflict (key) do update
  set times = (select case when count(*) < $4::integer then coalesce(array_agg(t order by t), '{}') || now()
                           else array_agg(t order by t) end
               from unnest(r.times) t
               where t > now() - interval '1 hour' and t < now() + interval '1 minute')
  returning times, times[cardinality(times)] = now() as is_within
)
select true as is_sender, is_within, now() as at,
       greatest(1, ceil(extract(epoch from times[greatest(1, cardinality(times) - $2::integer + 1)] + interval '1 hour'
                                           - now())))::integer as seconds_left
from sender
union all
select false, is_within, now(),
       greatest(1, ceil(extract(epoch from times[greatest(1, cardinality(times) - $4::integer + 1)] + interval '1 hour'
                                           - now())))::integer
from recipient
