-- Returns the type and entity type of a template, and locks it against changes until the transaction ends.
-- $1 business uuid, $2 code text
-- -> type text, entity_type smallint
select type, entity_type from templates
where business_id = $1::uuid and code = $2 and deleted_at is null
for share
