-- Deletes the schedule of a workflow that is deleted or has none any more. Reads the workflow again: the claim can have
-- locked a schedule that was just changed, but have read its workflow as it was before.
-- $1 business uuid, $2 workflow uuid
delete from schedules s
where s.business_id = $1::uuid and s.workflow_id = $2::uuid
  and not exists (select from workflows w where w.business_id = $1::uuid and w.guid = $2::uuid
                  and w.deleted_at is null and w.timer_plan = s.plan)
