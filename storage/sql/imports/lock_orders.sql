-- Locks orders until the page is committed and returns their statuses, numbers and times of creation.
-- $1 business uuid, $2 orders uuid[]
-- -> guid uuid, status text, order_number text, created_at timestamptz
select guid, status, order_number, created_at from orders
where business_id = $1 and guid = any ($2::uuid[]) and deleted_at is null
order by guid
for no key update
