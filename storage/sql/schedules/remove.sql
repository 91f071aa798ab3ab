-- Deletes the schedule of a workflow that is deleted or has none any more.
-- $1 business uuid, $2 workflow uuid
delete from schedules where business_id = $1::uuid and workflow_id = $2::uuid
