-- Returns the present customers of orders, and whether the customers that imports give to their buyers were deleted.
-- $1 business uuid, $2 orders uuid[], $3 buyers uuid[] (of the orders, by position)
-- -> order_id uuid, customer_id uuid or null, name text or null, company text or null, email text or null,
-- phone text or null, is_deleted boolean
select o.guid as order_id, o.customer_id, c.name, c.company, c.email, c.phone, b.deleted_at is not null as is_deleted
from unnest($2::uuid[], $3::uuid[]) n (order_id, buyer)
join orders o on o.business_id = $1 and o.guid = n.order_id
left join customers c on c.business_id = $1 and c.guid = o.customer_id
left join customers b on b.business_id = $1 and b.guid = n.buyer
