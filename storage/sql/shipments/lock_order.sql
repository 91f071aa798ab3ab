-- Locks an order that is to be shipped and returns it with sender and recipient.
-- $1 business uuid, $2 order uuid
-- -> status text, items json, customer_id uuid or null, carrier_id uuid or null, service_level text or null,
-- collection_date timestamptz or null, sender_name text or null, sender_street text or null,
-- sender_city text or null, sender_state text or null, sender_postal_code text or null,
-- sender_country text or null, sender_phone text or null, recipient_name text or null,
-- recipient_street text or null, recipient_city text or null, recipient_state text or null,
-- recipient_postal_code text or null, recipient_country text or null, recipient_phone text or null
select o.status, o.items, o.customer_id, o.carrier_id, o.service_level, o.collection_date,
       b.name as sender_name, b.street as sender_street, b.city as sender_city, b.state as sender_state,
       b.postal_code as sender_postal_code, b.country as sender_country, b.phone as sender_phone,
       c.name as recipient_name, o.delivery_street as recipient_street, o.delivery_city as recipient_city,
       o.delivery_state as recipient_state, o.delivery_postal_code as recipient_postal_code,
       o.delivery_country as recipient_country, c.phone as recipient_phone
from orders o
join businesses b on b.guid = o.business_id
left join customers c on c.business_id = o.business_id and c.guid = o.customer_id
where o.business_id = $1 and o.guid = $2 and o.deleted_at is null
for update of o
