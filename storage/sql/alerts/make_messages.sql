-- Makes the messages of alerts whose window is over, and begins their next window. An alert without a further failure, or
-- with a cause that the settings no longer have, is deleted. Suspended businesses are left out. Returns the number of
-- alerts.
-- $1 limit bigint
-- -> alerts bigint
with due as materialized (
  select a.*, wants_alert(d, a.cause) as is_wanted, cardinality(d.alert_emails) > 0 as has_emails,
         d.alert_webhook_url is not null as has_webhook,
         now() + coalesce(d.alert_minutes, 60) * interval '1 minute' as next_due
  from alerts a
  join businesses b on b.guid = a.business_id and b.suspended_at is null
  left join business_defaults d on d.business_id = a.business_id
  where a.due_at <= now()
  order by a.due_at limit $1 for update of a skip locked
), over as (
  delete from alerts a using due d
  where a.business_id = d.business_id and a.cause = d.cause and a.subject_id = d.subject_id
    and (d.count = 0 or d.is_wanted is not true)
), told as (
  update alerts a
  set count = 0, run_id = null, failed_from = null, failed_to = null, told_at = now(), due_at = d.next_due
  from due d
  where a.business_id = d.business_id and a.cause = d.cause and a.subject_id = d.subject_id and d.count > 0 and d.is_wanted
), made as (
  insert into alert_messages (business_id, channel, cause, subject_id, count, run_id, failed_from, failed_to)
  select d.business_id, c.channel, d.cause, d.subject_id, d.count, d.run_id, d.failed_from, d.failed_to
  from due d, (values ('email'), ('webhook')) c (channel)
  where d.count > 0 and d.is_wanted and case c.channel when 'email' then d.has_emails else d.has_webhook end
)
select count(*) as alerts from due
