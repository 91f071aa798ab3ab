-- Removes a variant from a product.
-- $1 business uuid, $2 product uuid, $3 variant text
update products set variants = list_without(variants, $3)
where business_id = $1 and guid = $2 and deleted_at is null and list_element(variants, $3) is not null
