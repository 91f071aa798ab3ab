-- Sets the end of a business's alert windows to the time of their last message plus the minutes of its settings. An alert of
-- which nobody was told is due at once.
-- $1 business uuid
update alerts a set due_at = coalesce(a.told_at + coalesce(d.alert_minutes, 60) * interval '1 minute', now())
from business_defaults d,
     (select o.cause, o.subject_id from alerts o where o.business_id = $1::uuid
      order by o.cause, o.subject_id for update) w
where d.business_id = $1::uuid and a.business_id = $1::uuid and a.cause = w.cause and a.subject_id = w.subject_id
