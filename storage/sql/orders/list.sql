-- Returns a page of orders, each row preceded by the total: by default the newest fifty. api/records/list.cpp
-- inserts the parts of a request in the marked places.
-- $1 business uuid
-- -> total bigint, ...
select
  /*total*/(select coalesce(sum(n.delta), 0)::bigint from record_counts n
            where n.business_id = $1 and n.entity_type = 0)/*end*/ as total,
  r.guid, r.order_number as "orderNumber", r.status, r.customer_id as "customer.guid",
  (select c.name from customers c where c.business_id = r.business_id and c.guid = r.customer_id) as "customer.name",
  r.items as "items{description,quantity,price}",
  r.delivery_street as "deliveryAddress.street", r.delivery_city as "deliveryAddress.city",
  r.delivery_state as "deliveryAddress.state", r.delivery_postal_code as "deliveryAddress.postalCode",
  r.carrier_id as "carrier.guid", r.collection_date as "collectionDate", r.created_at as "createdAt"
from (/*rows*/select r.*/*end*/ from orders r
      where r.business_id = $1 and r.deleted_at is null/*where*/
      order by /*order*/r.created_at desc, r.guid desc/*end*/
      /*page*/limit 50/*end*/) r
order by /*order*/r.created_at desc, r.guid desc/*end*/
