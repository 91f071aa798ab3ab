-- Makes mails and alerts due that a wrong clock has postponed for longer than any pause between two attempts or messages.
-- Returns the number of rows.
-- $1 delays text[] (of the retry schedule, ISO 8601)
-- -> moved bigint
with mails as (
  update mail_outbox set due_at = now(), expires_at = least(expires_at, now() + interval '7 days')
  where due_at > now() + interval '1 hour 1 minute' returning 1
), told as (
  update alerts a set due_at = now() + w.pause, told_at = case when a.told_at > now() then now() else a.told_at end
  from (select k.business_id, k.cause, k.subject_id, coalesce(d.alert_minutes, 60) * interval '1 minute' as pause
        from alerts k left join business_defaults d on d.business_id = k.business_id) w
  where a.business_id = w.business_id and a.cause = w.cause and a.subject_id = w.subject_id
    and a.due_at > now() + w.pause + interval '1 minute'
  returning 1
), messages as (
  update alert_messages set due_at = now() where due_at > now() + interval '1 day' + (select coalesce(max(d), '0') * 1.2 from unnest($1::text[]::interval[]) d) returning 1
)
select (select count(*) from mails) + (select count(*) from told) + (select count(*) from messages) as moved
