-- Lets a schedule be looked at again later: its workflow is unreadable here, its business suspended, or its query failed.
-- $1 business uuid, $2 workflow uuid, $3 delay interval
update schedules set check_at = clock_timestamp() + $3::interval where business_id = $1::uuid and workflow_id = $2::uuid
