-- Returns the shipments of orders, deleted ones included.
-- $1 business uuid, $2 orders uuid[]
-- -> order_id uuid, guid uuid
select order_id, guid from shipments where business_id = $1 and order_id = any ($2::uuid[]) and deleted_at is null
union all
select order_id, guid from shipments where business_id = $1 and order_id = any ($2::uuid[]) and deleted_at is not null
