-- Returns the newest versions of a workflow, newest first: at most 1 000, and those after the newest only until the
-- definitions have 4 MiB. No row if the workflow does not exist.
-- runs: long
-- $1 business uuid, $2 workflow uuid
-- -> version int, at timestamptz, author json or null, definition json
with recursive newest as (
  (select v.version, octet_length(v.definition::text)::bigint as bytes, 1 as number
   from workflows w
   join workflow_versions v on v.business_id = w.business_id and v.workflow_id = w.guid
   where w.business_id = $1::uuid and w.guid = $2::uuid and w.deleted_at is null
   order by v.version desc
   limit 1)
  union all
  select v.version, n.bytes + octet_length(v.definition::text), n.number + 1
  from newest n
  cross join lateral (
    select o.version, o.definition from workflow_versions o
    where o.business_id = $1::uuid and o.workflow_id = $2::uuid and o.version < n.version
    order by o.version desc
    limit 1) v
  where n.number < 1000 and n.bytes < 4194304
)
select v.version, v.created_at as at, v.author::json as author,
       (case when jsonb_typeof(v.definition -> 'action' -> 'headers') = 'object'
             then jsonb_set(v.definition, '{action,headers}', hidden_headers((v.definition -> 'action' -> 'headers')::json)::jsonb)
             else v.definition end)::json as definition
from newest n
cross join lateral (
  select * from workflow_versions o
  where o.business_id = $1::uuid and o.workflow_id = $2::uuid and o.version = n.version
  limit 1) v
where n.number = 1 or n.bytes <= 4194304
order by v.version desc
