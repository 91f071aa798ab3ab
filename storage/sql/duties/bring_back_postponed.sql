-- Lets timers, digests and schedules be looked at when they are due, if a wrong clock has stored a later time: they are postponed
-- by a minute at most. storage/sql/schedules/bring_back.sql moves the ticks themselves. Returns the number of rows.
-- -> moved bigint
with late_timers as materialized (
  select t.business_id, t.workflow_id, t.entity_id from timers t
  where t.check_at > t.due_at and t.check_at > now() + interval '2 minutes'
  for update skip locked
), late_digests as materialized (
  select d.business_id, d.guid from digests d
  where d.check_at > d.due_at and d.check_at > now() + interval '2 minutes'
  for update skip locked
), late_schedules as materialized (
  select s.business_id, s.workflow_id from schedules s
  where s.check_at > now() + interval '2 minutes' and isfinite(s.check_at) and s.check_at is distinct from s.next_at
  for update skip locked
), timers_moved as (
  update timers t set check_at = greatest(t.due_at, now())
  from late_timers l where t.business_id = l.business_id and t.workflow_id = l.workflow_id and t.entity_id = l.entity_id
  returning 1
), digests_moved as (
  update digests d set check_at = greatest(d.due_at, now())
  from late_digests l where d.business_id = l.business_id and d.guid = l.guid
  returning 1
), schedules_moved as (
  update schedules s set check_at = greatest(s.next_at, now())
  from late_schedules l where s.business_id = l.business_id and s.workflow_id = l.workflow_id
  returning 1
)
select (select count(*) from timers_moved) + (select count(*) from digests_moved) + (select count(*) from schedules_moved) as moved
