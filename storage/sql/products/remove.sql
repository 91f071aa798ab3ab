-- Deletes a product with its variants.
-- $1 business uuid, $2 product uuid
update products set deleted_at = now() where business_id = $1 and guid = $2 and deleted_at is null
