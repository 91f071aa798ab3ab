-- Counts a failed login for the e-mail address $1 and the network $2 before it is known whether it fails: one row
-- for each, and whether it was among the ten that 15 minutes allow. Who is not, is not counted.
with keys as (
  select sha256(convert_to('email:' || lower($1::text), 'UTF8')) as key
  union
  select sha256(convert_to('address:' || $2::text, 'UTF8'))
)
insert into login_failures as f (key, times)
select key, array[now()] from keys order by key
on conflict (key) do update
set times = (select case when count(*) < 10 then coalesce(array_agg(t order by t), '{}') || now()
                         else array_agg(t order by t) end
             from unnest(f.times) t
             where t > now() - interval '15 minutes')
returning times[cardinality(times)] = now() as is_counted, now() as at,
          greatest(1, ceil(extract(epoch from times[1] + interval '15 minutes' - now())))::integer as seconds_left
