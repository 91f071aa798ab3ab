-- Deletes expired sessions and one-time links, reset tokens, failed logins, request counts, mail counts and quota windows, also
-- counts that a wrong clock has dated in the future, and accounts still unverified a week after their mail's token expired, at
-- most a number of each. Returns the largest number.
-- $1 limit bigint
-- -> expired bigint
with sessions as (
  delete from user_sessions
  where guid = any (array(select guid from user_sessions where expires_at < now() order by expires_at limit $1::bigint))
    and expires_at < now()
  returning 1
), links as (
  delete from console_sessions
  where guid = any (array(select guid from console_sessions where expires_at < now() order by expires_at limit $1::bigint))
    and expires_at < now()
  returning 1
), failures as (
  delete from login_failures
  where key = any (array(select key from login_failures
                         where coalesce(times[cardinality(times)], '-infinity') not between now() - interval '15 minutes' and now() + interval '1 minute'
                         limit $1::bigint))
    and coalesce(times[cardinality(times)], '-infinity') not between now() - interval '15 minutes' and now() + interval '1 minute'
  returning 1
), requests as (
  delete from account_requests
  where key = any (array(select key from account_requests
                         where coalesce(times[cardinality(times)], '-infinity') not between now() - interval '1 hour' and now() + interval '1 minute'
                         limit $1::bigint))
    and coalesce(times[cardinality(times)], '-infinity') not between now() - interval '1 hour' and now() + interval '1 minute'
  returning 1
), resets as (
  delete from password_resets
  where user_id = any (array(select user_id from password_resets where expires_at < now() limit $1::bigint))
    and expires_at < now()
  returning 1
), old_mails as materialized (
  select business_id, day from business_mails where day < (now() at time zone 'UTC')::date limit $1::bigint
), mails as (
  delete from business_mails m using old_mails o where m.business_id = o.business_id and m.day = o.day returning 1
), windows as (
  delete from quota_windows
  where token_id = any (array(select token_id from quota_windows
                              where window_start not between extract(epoch from now()) / 60 - 60 and extract(epoch from now()) / 60 + 1 limit $1::bigint))
    and window_start not between extract(epoch from now()) / 60 - 60 and extract(epoch from now()) / 60 + 1
  returning 1
), accounts as (
  delete from users
  where guid = any (array(select guid from users
                          where verified_at is null and password_hash is not null
                            and mail_token_expires_at < now() - interval '7 days'
                          limit $1::bigint))
    and verified_at is null
  returning 1
)
select greatest((select count(*) from sessions), (select count(*) from links), (select count(*) from failures), (select count(*) from requests),
                (select count(*) from resets), (select count(*) from mails), (select count(*) from windows),
                (select count(*) from accounts)) as expired
