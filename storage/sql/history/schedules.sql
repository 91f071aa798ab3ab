-- Returns the schedules of an entity type with their next ticks, those that are on first. The definitions are the present
-- ones. is_active is the state at next_at, or now if that is to come.
-- $1 business uuid, $2 entity_type smallint, $3 limit bigint
-- -> workflow_id uuid, name text, trigger text, conditions text, is_active boolean, next_at timestamptz
select w.guid as workflow_id, w.name, w.trigger_code as trigger, w.conditions::text as conditions,
       case when s.next_at > statement_timestamp() then w.is_active
            else was_on(w.business_id, w.guid, w.is_active, w.active_since, s.next_at) end as is_active,
       s.next_at
from workflows w
join schedules s on s.business_id = w.business_id and s.workflow_id = w.guid and s.plan = w.timer_plan
where w.business_id = $1::uuid and w.entity_type = $2::smallint and w.deleted_at is null and s.next_at is not null
order by w.is_active desc, s.next_at, w.guid
limit $3::bigint
