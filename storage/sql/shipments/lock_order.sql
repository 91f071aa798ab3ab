-- Locks an order that is to be shipped and returns it, with the columns that its shipment takes over. Name, company, phone and
-- e-mail of the recipient are a block: those of the delivery address if it has a name or company that is not blank, otherwise
-- those of the customer.
-- $1 business uuid, $2 order uuid
-- -> status text, items json, customer_id uuid or null, carrier_id uuid or null, service_level text or null, ...
select o.status, o.items, o.customer_id, o.carrier_id, o.service_level, o.collection_date,
       b.name as sender_name, null::text as sender_company, b.street as sender_street, b.city as sender_city,
       b.state as sender_state, b.postal_code as sender_postal_code, b.country as sender_country, b.phone as sender_phone,
       case when a.has_recipient then o.delivery_name else c.name end as recipient_name,
       case when a.has_recipient then o.delivery_company else c.company end as recipient_company,
       o.delivery_street as recipient_street, o.delivery_city as recipient_city, o.delivery_state as recipient_state,
       o.delivery_postal_code as recipient_postal_code, o.delivery_country as recipient_country,
       case when a.has_recipient then o.delivery_phone else c.phone end as recipient_phone,
       case when a.has_recipient then o.delivery_email else c.email end as recipient_email
from orders o
cross join lateral (select concat(o.delivery_name, o.delivery_company) ~ '[^[:space:]]' as has_recipient) a
join businesses b on b.guid = o.business_id
left join customers c on c.business_id = o.business_id and c.guid = o.customer_id
where o.business_id = $1 and o.guid = $2 and o.deleted_at is null
for update of o
