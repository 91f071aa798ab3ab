-- Makes the messages of alerts whose window is over, and begins their next window. An alert without a further failure, or
-- with a cause that the settings no longer have, is deleted. Suspended businesses are left out. A channel of a business for
-- which `max_waiting` messages wait gets no further one; an alert whose channels get none continues to count for a window. One
-- without a channel, of which nobody can be told, begins no window: it is due again after a minute.
-- Returns the number of alerts.
-- $1 limit bigint, $2 max_waiting bigint
-- -> alerts bigint
with due as materialized (
  select a.*, wants_alert(d, a.cause) as is_wanted, cardinality(alert_addresses(d, a.business_id, a.cause)) > 0 as has_emails,
         d.alert_webhook_url is not null and chooses_alert(d, a.cause) as has_webhook,
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
), room as materialized (
  select b.business_id, c.channel
  from (select distinct business_id from due) b, (values ('email'), ('webhook')) c (channel)
  where (select count(*) from (select from alert_messages m
                               where m.business_id = b.business_id and m.channel = c.channel limit $2) w) < $2
), messages as materialized (
  select d.*, c.channel
  from due d join room c on c.business_id = d.business_id
  where d.count > 0 and d.is_wanted and case c.channel when 'email' then d.has_emails else d.has_webhook end
), begun as (
  update alerts a
  set due_at = case when m.is_told or d.has_emails or d.has_webhook then d.next_due else now() + interval '1 minute' end,
      count = case when m.is_told then 0 else a.count end,
      run_id = case when not m.is_told then a.run_id end, failed_from = case when not m.is_told then a.failed_from end,
      failed_to = case when not m.is_told then a.failed_to end, told_at = case when m.is_told then now() else a.told_at end
  from due d, lateral (select exists (select from messages m where m.business_id = d.business_id and m.cause = d.cause
                                                             and m.subject_id = d.subject_id) as is_told) m
  where a.business_id = d.business_id and a.cause = d.cause and a.subject_id = d.subject_id and d.count > 0 and d.is_wanted
), made as (
  insert into alert_messages (business_id, channel, cause, subject_id, count, run_id, failed_from, failed_to)
  select business_id, channel, cause, subject_id, count, run_id, failed_from, failed_to from messages
)
select count(*) as alerts from due
