-- Pauses a workflow and returns its new epoch. No row if it is already paused.
-- $1 business, $2 workflow, $3 reason
update workflows set paused_reason = $3, paused_at = now(), updated_at = now()
where business_id = $1::uuid and guid = $2::uuid and paused_reason is null and deleted_at is null
returning epoch
