-- Notes that the store was asked for products.
-- $1 business uuid, $2 integration uuid, $3 external_ids text[]
update imported_products set asked_at = now()
where business_id = $1 and integration_id = $2 and external_id = any ($3::text[])
