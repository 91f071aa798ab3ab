-- Removes a variant from a product.
-- $1 business uuid, $2 product uuid, $3 variant uuid
update products set variants = list_without(variants, $3::uuid::text)
where business_id = $1 and guid = $2 and deleted_at is null and list_element(variants, $3::uuid::text) is not null
