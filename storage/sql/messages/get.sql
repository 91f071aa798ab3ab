-- Returns a message, its text as it was sent, and what its conditions are evaluated with. The text is null while there is none, and
-- once it is erased; trigger and conditions are null if the version of the workflow is not stored.
-- $1 business uuid, $2 message uuid, $3 no_record uuid, $4 most_steps int
-- -> message json, request json or null, event_id bigint, entity uuid, trigger text or null, conditions text or null
with found as materialized (
  select r.*, n.step as only_step
  from generate_series(1, $4::integer) n (step)
  cross join lateral (
    select guid, created_at, action, status, code, finished_at, replay_of, steps from runs
    where business_id = $1::uuid and guid = message_guid($2::uuid, n.step)
      and created_at >= guid_time($2::uuid) - interval '1 day' and created_at < guid_time($2::uuid) + interval '1 day'
    union all
    select guid, created_at, action, status, code, null, replay_of, steps from run_queue
    where business_id = $1::uuid and guid = message_guid($2::uuid, n.step)) r
), page as materialized (
  select f.guid, f.created_at, m.step, m.type, m.status, m.code, m.at
  from found f
  cross join lateral messages_of(f.action, f.status, f.code, f.created_at, f.finished_at, f.replay_of, f.steps) m
  where m.step = f.only_step limit 1
),
\ir shown.inc
select row_to_json(s) as message, case when t.request is not null then shown_request($1::uuid, t.type, t.request, t.body) end as request,
       t.event_id, t.entity_id as entity, v.definition ->> 'trigger' as trigger, (v.definition -> 'conditions')::text as conditions
from shown s
cross join sent t
left join workflow_versions v on v.business_id = $1::uuid and v.workflow_id = t.workflow_id and v.version = t.workflow_version
