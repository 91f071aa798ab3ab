-- Deletes failures of orders.
-- $1 business, $2 integration, $3 store's order ids
delete from import_failures where business_id = $1 and integration_id = $2 and external_id = any ($3::text[])
