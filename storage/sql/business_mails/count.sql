-- Counts a mail of business $1 to the addresses $2, of whom its users do not count, if the business is limited to $3
-- recipients a day and has so many left: whether it is limited, whether the mail was counted, how many recipients count,
-- the day, and after how many seconds the next one begins.
with business as (
  select guid from businesses where guid = $1::uuid and registered_by_itself and plan in ('free', 'standard')
), strangers as (
  select count(*)::integer as count from unnest($2::text[]) a
  where not exists (select from users u where u.business_id = $1::uuid and lower(u.email) = lower(a)
                                          and u.verified_at is not null)
), counted as (
  insert into business_mails as m (business_id, day, recipients)
  select b.guid, (now() at time zone 'UTC')::date, s.count from business b, strangers s where s.count <= $3::integer
  on conflict (business_id, day) do update set recipients = m.recipients + excluded.recipients
  where m.recipients + excluded.recipients <= $3::integer
  returning m.day
)
select exists (select from business), exists (select from counted), s.count, (now() at time zone 'UTC')::date,
       ceil(extract(epoch from date_trunc('day', now() at time zone 'UTC') + interval '1 day'
                               - (now() at time zone 'UTC')))::integer
from strangers s
