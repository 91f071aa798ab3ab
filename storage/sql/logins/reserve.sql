-- Counts a login attempt as failed before its result is known. Returns a row for the e-mail address, if it has one, and one
-- for the network: whether the attempt is within the ten allowed in 15 minutes, when it was counted, and the
-- seconds until the first counted one expires. An attempt beyond the limit is not counted, nor is one that a wrong clock
-- has dated in the future.
-- $1 email text or null, $2 network text
-- -> is_counted boolean, at timestamptz, seconds_left int
with keys as (
  select sha256(convert_to('email:' || lower($1::text), 'UTF8')) as key where $1::text is not null
  union
  select sha256(convert_to('address:' || $2::text, 'UTF8'))
)
insert into login_failures as f (key, times)
select key, array[now()] from keys order by key
on conflict (key) do update
set times = (select case when count(*) < 10 then coalesce(array_agg(t order by t), '{}') || now()
                         else array_agg(t order by t) end
             from unnest(f.times) t
             where t > now() - interval '15 minutes' and t < now() + interval '1 minute')
returning times[cardinality(times)] = now() as is_counted, now() as at,
          greatest(1, ceil(extract(epoch from times[1] + interval '15 minutes' - now())))::integer as seconds_left
