-- A product as it is here, held until the page is committed: $1 business, $2 guid.
select variants from products
where business_id = $1 and guid = $2 and deleted_at is null
for no key update
