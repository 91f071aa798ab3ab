-- Locks a product until the page is committed and returns its SKU and variants.
-- $1 business uuid, $2 product uuid
-- -> sku text or null, variants jsonb
select sku, variants from products
where business_id = $1 and guid = $2 and deleted_at is null
for no key update
