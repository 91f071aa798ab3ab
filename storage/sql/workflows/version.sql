-- Returns the definition of a version of a workflow, as stored, and its sealed credentials (in hex).
-- $1 business uuid, $2 workflow uuid, $3 version int
-- -> definition json, sealed_credentials text or null
select v.definition::json as definition, encode(v.sealed_credentials, 'hex') as sealed_credentials
from workflows w
join workflow_versions v on v.business_id = w.business_id and v.workflow_id = w.guid
where w.business_id = $1::uuid and w.guid = $2::uuid and v.version = $3::integer and w.deleted_at is null
