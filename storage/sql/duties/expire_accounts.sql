-- Sessions that are over, logins that no longer count, and accounts that nobody verified for a week after their mail.
with sessions as (
  delete from user_sessions where expires_at < now()
), failures as (
  delete from login_failures
  where coalesce(times[cardinality(times)], '-infinity') < now() - interval '15 minutes'
)
delete from users
where verified_at is null and password_hash is not null and mail_token_expires_at < now() - interval '7 days'
