-- Returns watched workflows at whose firings a look is due, by business, with what is needed for it. Hours are numbers of
-- hours of the business's wall clock. Paused and inactive workflows and suspended businesses are left out.
-- $1 limit bigint
-- -> business_id uuid, workflow_id uuid, entity_type smallint, is_scheduled boolean, present_hour bigint,
-- present_part float8, last_hours float8 or null, active_hours float8,
-- learned_hour bigint, firings text (an hour and its number, and so on), closed text (hours in which nothing is expected)
with due as materialized (
  select f.business_id, f.workflow_id, f.learned_since, w.entity_type, w.trigger_code,
         greatest(w.active_since, f.usual_since, b.resumed_at) as active_since, b.timezone, b.holidays
  from workflow_watches f
  join workflows w on w.business_id = f.business_id and w.guid = f.workflow_id
  join businesses b on b.guid = f.business_id
  where f.due_at <= now() and w.is_active and w.paused_reason is null and w.deleted_at is null and b.suspended_at is null
  order by f.due_at limit $1
)
select d.business_id, d.workflow_id, d.entity_type,
       starts_with(unnumbered_form(d.trigger_code), 'schedule:') as is_scheduled,
       wall_hour(date_trunc('hour', now()), d.timezone) as present_hour,
       (extract(epoch from now() - date_trunc('hour', now())) / 3600)::float8 as present_part,
       (extract(epoch from now() - l.last_at) / 3600)::float8 as last_hours,
       (extract(epoch from now() - d.active_since) / 3600)::float8 as active_hours,
       wall_hour(d.learned_since, d.timezone) + 1 as learned_hour,
       coalesce(h.firings, '') as firings, closed_hours(d.timezone, d.holidays) as closed
from due d
left join lateral (
  select string_agg(wall_hour(f.hour, d.timezone) || ' ' || f.count + f.held, ' ') as firings
  from workflow_firings f
  where f.business_id = d.business_id and f.workflow_id = d.workflow_id and f.hour > now() - interval '57 days') h on true
left join lateral (
  select coalesce(f.last_at, f.hour + interval '1 hour') as last_at
  from workflow_firings f
  where f.business_id = d.business_id and f.workflow_id = d.workflow_id and f.hour <= now()
  order by f.hour desc limit 1) l on true
order by d.business_id
