-- Fifty orders of business $1 from offset $2 on, by default newest first, with the exact total, as the answer's text. A filter
-- and an order with its join replace the marked places; the values of the filter follow as parameters.
select json_build_object('data', coalesce((select json_agg(p.record) from (
  select json_build_object(
    'guid', r.guid, 'orderNumber', r.order_number, 'status', r.status,
    'customer', json_build_object('guid', r.customer_id, 'name', c.name),
    'items', (select json_agg(json_build_object('description', i -> 'description', 'sku', i -> 'sku',
                                                'productId', i -> 'productId', 'quantity', i -> 'quantity',
                                                'price', i -> 'price'))
              from jsonb_array_elements(r.items::jsonb) i),
    'deliveryAddress', json_build_object('street', r.delivery_street, 'city', r.delivery_city, 'state', r.delivery_state,
                                         'postalCode', r.delivery_postal_code),
    'carrier', json_build_object('guid', r.carrier_id), 'collectionDate', r.collection_date,
    'createdAt', r.created_at) as record
  from (select r.* from orders r/*join*/ where r.business_id = $1 and r.deleted_at is null/*where*/
        order by /*order*/ limit 50 offset $2) r
  left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
  order by /*order*/) p), '[]'),
  'page', $2::int / 50 + 1, 'pageSize', 50,
  'totalCount', (select count(*) from orders r where r.business_id = $1 and r.deleted_at is null/*where*/),
  'success', true)::text as answer
