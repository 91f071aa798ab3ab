-- Locks an order that is to be shipped and returns it with sender and recipient.
-- $1 business uuid, $2 order uuid
select o.status, o.items, o.customer_id, o.carrier_id, o.service_level, o.collection_date, b.name, b.street, b.city,
       b.state, b.postal_code, b.country, b.phone, c.name, o.delivery_street, o.delivery_city, o.delivery_state,
       o.delivery_postal_code, o.delivery_country, c.phone
from orders o
join businesses b on b.guid = o.business_id
left join customers c on c.business_id = o.business_id and c.guid = o.customer_id
where o.business_id = $1 and o.guid = $2 and o.deleted_at is null
for update of o
