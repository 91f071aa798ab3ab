-- Returns the versions of a workflow that are kept, newest first. No row if the workflow does not exist.
-- $1 business uuid, $2 workflow uuid
-- -> version int, at timestamptz, author json or null, definition json
select v.version, v.created_at as at, v.author::json as author,
       (case when jsonb_typeof(v.definition -> 'action' -> 'headers') = 'object'
             then jsonb_set(v.definition, '{action,headers}', hidden_headers((v.definition -> 'action' -> 'headers')::json)::jsonb)
             else v.definition end)::json as definition
from workflows w
join workflow_versions v on v.business_id = w.business_id and v.workflow_id = w.guid
where w.business_id = $1::uuid and w.guid = $2::uuid and w.deleted_at is null
order by v.version desc
limit 1000
