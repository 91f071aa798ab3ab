-- Returns the waiting timers of a record, the last of those that came due with their results, its last runs of
-- schedules, and those of the business's last 10 runs of schedules for all records whose message names it, newest first.
-- The definitions are the present ones. is_active is the state when a waiting timer came due, or now if that is to come.
-- $1 business uuid, $2 record uuid, $3 limit bigint,
-- $4 no_record uuid (the record of runs for a list)
-- -> workflow_id uuid, name text, trigger text, conditions text, is_active boolean, due_at timestamptz,
-- is_waiting boolean, run_id uuid or null, reason text or null, is_schedule boolean,
-- is_newer boolean (the workflow was made after due_at)
(select w.guid as workflow_id, w.name, w.trigger_code as trigger, w.conditions::text as conditions,
        case when t.due_at > statement_timestamp() then w.is_active
             else was_on(w.business_id, w.guid, w.is_active, w.active_since, t.due_at) end as is_active,
        t.due_at, true as is_waiting, null::uuid as run_id, null::text as reason, false as is_schedule,
        t.due_at < w.created_at as is_newer
 from workflows w
 join timers t on t.business_id = w.business_id and t.workflow_id = w.guid and t.entity_id = $2::uuid and t.plan = w.timer_plan
 where w.business_id = $1::uuid and w.deleted_at is null and w.timer_plan is not null)
union all
(select r.workflow_id, w.name, w.trigger_code, w.conditions::text, w.is_active, r.due_at, false, r.run_id, r.reason, false,
        r.due_at < w.created_at
 from timer_results r
 join workflows w on w.business_id = r.business_id and w.guid = r.workflow_id
 where r.business_id = $1::uuid and r.entity_id = $2::uuid
 order by r.due_at desc
 limit $3::bigint)
union all
(select r.workflow_id, w.name, w.trigger_code, w.conditions::text, w.is_active, r.created_at, false, r.guid, null, true, false
 from all_runs r
 join workflows w on w.business_id = r.business_id and w.guid = r.workflow_id
 where r.business_id = $1::uuid and r.entity_id = $2::uuid and r.trigger_code = 'schedule' and r.replay_of is null
   and (r.status <> 'waiting' or r.status = 'waiting')  -- the predicates of the two partial indexes
 order by r.guid desc
 limit $3::bigint)
union all
(select r.workflow_id, w.name, w.trigger_code, w.conditions::text, w.is_active, r.created_at, false, r.guid, null, true, false
 from (select l.* from all_runs l
       where l.business_id = $1::uuid and l.entity_id = $4::uuid and l.trigger_code = 'schedule'
         and l.replay_of is null and (l.status <> 'waiting' or l.status = 'waiting')
       order by l.guid desc
       limit 10) r
 join workflows w on w.business_id = r.business_id and w.guid = r.workflow_id
 where position($2::uuid::text in r.request) > 0 or position($2::uuid::text in r.body) > 0
    or exists (select from run_step_texts t
               where t.business_id = r.business_id and t.origin = r.origin and t.at = guid_time(r.origin) and t.number = 0
                 and position($2::uuid::text in t.request) > 0))
order by due_at desc, workflow_id
