-- Deletes a template. The time is not that of the transaction, which may have begun before a workflow that used the template
-- got another version.
-- $1 business uuid, $2 guid uuid
update templates set deleted_at = clock_timestamp(), updated_at = clock_timestamp()
where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
