-- What the template with the code $2 of business $1 is for; it stays that until the transaction ends.
select type, entity_type from templates
where business_id = $1::uuid and code = $2 and deleted_at is null
for share
