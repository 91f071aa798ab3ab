-- Pauses a workflow and returns its new epoch. No row if it is already paused.
-- $1 business uuid, $2 workflow uuid, $3 reason text
-- -> epoch bigint
update workflows set paused_reason = $3, paused_at = now(), updated_at = now()
where business_id = $1::uuid and guid = $2::uuid and paused_reason is null and deleted_at is null
returning epoch
