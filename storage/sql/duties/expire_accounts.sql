-- Deletes expired sessions, reset tokens, failed logins, request counts, mail counts and quota windows, and
-- accounts still unverified a week after their mail's token expired.
with sessions as (
  delete from user_sessions where expires_at < now()
), failures as (
  delete from login_failures
  where coalesce(times[cardinality(times)], '-infinity') < now() - interval '15 minutes'
), requests as (
  delete from account_requests
  where coalesce(times[cardinality(times)], '-infinity') < now() - interval '1 hour'
), resets as (
  delete from password_resets where expires_at < now()
), mails as (
  delete from business_mails where day < (now() at time zone 'UTC')::date
), windows as (
  delete from quota_windows where window_start < extract(epoch from now() - interval '1 hour') / 60
)
delete from users
where verified_at is null and password_hash is not null and mail_token_expires_at < now() - interval '7 days'
