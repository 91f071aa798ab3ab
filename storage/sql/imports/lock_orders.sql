-- Orders as they are here, held until the page is committed: $1 business, $2 guids.
select guid, status from orders
where business_id = $1 and guid = any ($2::uuid[]) and deleted_at is null
order by guid
for no key update
