-- Returns those of the given carriers that the business may use: built-in ones and its own.
-- $1 business uuid, $2 carriers uuid[]
-- -> guid uuid
select guid from carriers
where business_id in ($1, catalogue_business()) and guid = any ($2::uuid[]) and deleted_at is null
