-- Returns whether a business has a workflow.
-- $1 business uuid, $2 workflow uuid
-- -> is_known boolean
select exists (select from workflows where business_id = $1::uuid and guid = $2::uuid and deleted_at is null) as is_known
