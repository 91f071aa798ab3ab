-- Pauses the workflow $2 of business $1 with the reason $3, unless it is paused already. Answers its new epoch.
update workflows set paused_reason = $3, paused_at = now(), updated_at = now()
where business_id = $1::uuid and guid = $2::uuid and paused_reason is null and deleted_at is null
returning epoch
