-- Returns the newest two valid secrets of a workflow, newest first.
-- $1 business uuid, $2 workflow uuid
-- -> sealed bytea
select sealed from workflow_secrets
where business_id = $1::uuid and workflow_id = $2::uuid and (expires_at is null or expires_at > clock_timestamp())
order by created_at desc
limit 2
