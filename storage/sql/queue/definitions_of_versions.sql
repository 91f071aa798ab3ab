-- Returns trigger, conditions, action and cancelling events of versions of workflows, each under a name chosen by the caller.
-- $1 businesses uuid[], $2 workflows uuid[], $3 versions int[], $4 names uuid[]
-- -> name uuid, trigger text or null, conditions text or null, action text or null,
-- cancel_on text or null
select k.name, v.definition ->> 'trigger' as trigger, (v.definition -> 'conditions')::text as conditions,
       (v.definition -> 'action')::text as action,
       nullif(v.definition -> 'cancelOn', 'null')::text as cancel_on
from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::uuid[]) k (business_id, workflow_id, version, name)
join workflow_versions v using (business_id, workflow_id, version)
