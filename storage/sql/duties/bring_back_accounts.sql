-- Shortens the life of sessions, one-time links, mailed tokens and idempotency keys that a wrong clock has dated in the future
-- to what they have from now on. Returns the number of rows.
-- -> moved bigint
with sessions as (
  update user_sessions set created_at = now(), expires_at = now() + interval '24 hours'
  where expires_at > now() + interval '24 hours 1 minute' returning 1
), links as (
  update console_sessions c set created_at = now(), expires_at = now() + l.life
  from (values (false, interval '10 minutes'), (true, interval '24 hours')) l (is_used, life)
  where l.is_used = (c.started_at is not null) and c.expires_at > now() + l.life + interval '1 minute' returning 1
), resets as (
  update password_resets set expires_at = now() + interval '1 hour'
  where expires_at > now() + interval '1 hour 1 minute' returning 1
), mailed as (
  update users set mail_token_expires_at = now() + interval '7 days'
  where mail_token_expires_at > now() + interval '7 days 1 minute' returning 1
), keys as (
  update idempotency_keys set created_at = now() where created_at > now() + interval '1 minute' returning 1
)
select (select count(*) from sessions) + (select count(*) from links) + (select count(*) from resets)
       + (select count(*) from mailed) + (select count(*) from keys) as moved
