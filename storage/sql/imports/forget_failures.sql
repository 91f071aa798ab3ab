-- Orders that are no failures any more: $1 business, $2 integration, $3 ids in the store.
delete from import_failures where business_id = $1 and integration_id = $2 and external_id = any ($3::text[])
