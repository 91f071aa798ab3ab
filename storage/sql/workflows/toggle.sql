-- Switches a workflow on or off and returns its new state.
-- $1 business uuid, $2 workflow uuid
update workflows
set is_active = not is_active, active_since = case when is_active then active_since else now() end, updated_at = now()
where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
returning guid, is_active as "isActive"
