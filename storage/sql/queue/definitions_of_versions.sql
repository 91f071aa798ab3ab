-- Trigger, conditions and action of versions of workflows; arrays of one entry a version: businesses, workflows, versions, and
-- the names under which they are answered.
select k.name, v.definition ->> 'trigger' as trigger, (v.definition -> 'conditions')::text as conditions,
       (v.definition -> 'action')::text as action
from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::uuid[]) k (business_id, workflow_id, version, name)
join workflow_versions v using (business_id, workflow_id, version)
