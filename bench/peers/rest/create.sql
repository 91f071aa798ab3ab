-- Creates an order of business $1 from the request's body $2 and writes the event, in one statement.
with created as (
  insert into peer.orders (business_id, guid, order_number, status, customer_id, items, delivery_street, delivery_city,
                           delivery_state, delivery_postal_code, delivery_country, total_value, currency, created_at,
                           updated_at)
  select $1, gen_random_uuid(), 'ORD-' || nextval('peer.order_numbers'), 'pending',
         (body ->> 'customerId')::uuid, body -> 'items', body #>> '{deliveryAddress,street}',
         body #>> '{deliveryAddress,city}', body #>> '{deliveryAddress,state}', body #>> '{deliveryAddress,postalCode}',
         body #>> '{deliveryAddress,country}',
         (select sum((i ->> 'quantity')::numeric * (i ->> 'price')::numeric) from json_array_elements(body -> 'items') i),
         'EUR', now(), now()
  from (select $2::json as body) request
  returning business_id, guid, order_number, status, items, total_value, currency, created_at
), written as (
  insert into peer.outbox (business_id, entity_id, type, payload)
  select business_id, guid, 'order_created', json_build_object('status', status, 'orderNumber', order_number) from created
)
select json_build_object('data', json_build_object(
  'guid', guid, 'orderNumber', order_number, 'status', status, 'items', items, 'totalValue', total_value,
  'currency', currency, 'createdAt', created_at), 'success', true)::text as answer
from created
