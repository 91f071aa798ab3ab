-- Locks an order and returns its current values.
-- $1 business uuid, $2 order uuid
select status, customer_id, items, delivery_street, delivery_city, delivery_state, delivery_postal_code,
       delivery_country, carrier_id, service_level, collection_date, collection_start, collection_end, order_number,
       currency, notes
from orders where business_id = $1 and guid = $2 and deleted_at is null
for update
