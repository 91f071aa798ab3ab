-- Deletes a message that was delivered or given up, unless it has been claimed again. Returns true, and deletes nothing, if
-- another session has locked it.
-- $1 business uuid, $2 message uuid, $3 attempts int (with this one)
-- -> is_locked boolean
with held as materialized (
  select m.business_id, m.guid from alert_messages m
  where m.business_id = $1::uuid and m.guid = $2::uuid and m.attempts = $3::integer for update skip locked
), gone as (
  delete from alert_messages m using held h where m.business_id = h.business_id and m.guid = h.guid
)
select not exists (select from held) and exists (
         select from alert_messages m where m.business_id = $1::uuid and m.guid = $2::uuid and m.attempts = $3::integer)
       as is_locked
