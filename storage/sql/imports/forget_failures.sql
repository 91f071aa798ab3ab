-- Deletes failures of orders.
-- $1 business uuid, $2 integration uuid, $3 external_ids text[]
delete from import_failures where business_id = $1 and integration_id = $2 and external_id = any ($3::text[])
