-- Counts a mail of a business with limited recipients. Addresses of the business's verified users do not
-- count. Returns whether the business is limited, whether the mail was counted (it is not if it exceeds the
-- limit), the number of recipients that count, the day (UTC), and the seconds until the next day.
-- $1 business uuid, $2 addresses text[], $3 allowed_per_day int
-- -> is_limited boolean, is_counted boolean, recipients int, day date, seconds_left int
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
select exists (select from business) as is_limited, exists (select from counted) as is_counted, s.count as recipients,
       (now() at time zone 'UTC')::date as day,
       ceil(extract(epoch from date_trunc('day', now() at time zone 'UTC') + interval '1 day'
                               - (now() at time zone 'UTC')))::integer as seconds_left
from strangers s
