-- Returns a workflow as an answer to configure, without a change.
-- $1 business uuid, $2 workflow uuid
select guid, name, is_active as "isActive", version, action
from workflows
where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
