-- Delays a message, unless it has been claimed again. Returns true, and changes nothing, if another session has locked it.
-- $1 business uuid, $2 message uuid, $3 attempts int (with this one), $4 due_at timestamptz, $5 counts boolean (as an attempt)
-- -> is_locked boolean
with held as materialized (
  select m.business_id, m.guid from alert_messages m
  where m.business_id = $1::uuid and m.guid = $2::uuid and m.attempts = $3::integer for update skip locked
), delayed as (
  update alert_messages m
  set due_at = $4::timestamptz, attempts = case when $5::boolean then m.attempts else m.attempts - 1 end
  from held h where m.business_id = h.business_id and m.guid = h.guid
)
select not exists (select from held) and exists (
         select from alert_messages m where m.business_id = $1::uuid and m.guid = $2::uuid and m.attempts = $3::integer)
       as is_locked
