-- Deletes a template.
-- $1 business uuid, $2 guid uuid
update templates set deleted_at = now(), updated_at = now()
where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
