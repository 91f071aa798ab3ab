-- An order of business $1 with guid $2, as the answer's text.
select json_build_object('data', json_build_object(
  'guid', r.guid, 'orderNumber', r.order_number, 'status', r.status,
  'customer', json_build_object('guid', c.guid, 'name', c.name, 'email', c.email), 'items', r.items,
  'deliveryAddress', json_build_object('street', r.delivery_street, 'city', r.delivery_city, 'state', r.delivery_state,
                                       'postalCode', r.delivery_postal_code, 'country', r.delivery_country),
  'carrier', json_build_object('guid', r.carrier_id, 'name', (
    select k.name from carriers k
    where k.business_id in (r.business_id, catalogue_business()) and k.guid = r.carrier_id)),
  'serviceLevel', r.service_level,
  'shipments', (select coalesce(json_agg(json_build_object('guid', s.guid, 'trackingNumber', s.tracking_number,
                                                           'status', s.status) order by s.created_at), '[]')
                from shipments s
                where s.business_id = r.business_id and s.order_id = r.guid and s.deleted_at is null),
  'totalValue', r.total_value, 'currency', r.currency, 'collectionDate', r.collection_date,
  'timeWindow', json_build_object('start', r.collection_start, 'end', r.collection_end), 'notes', r.notes,
  'createdAt', r.created_at, 'updatedAt', r.updated_at), 'success', true)::text as answer
from orders r left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
