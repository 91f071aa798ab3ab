-- $1 event ids, $2 and $3 the earliest and latest time among them, which leaves out the other days' partitions.
select e.id, e.business_id, e.entity_type, e.entity_id, e.at, e.cause::text,
       case e.entity_type when 0 then e.order_before::text when 1 then e.shipment_before::text
                          when 2 then e.customer_before::text else e.product_before::text end as before,
       case e.entity_type when 0 then e.order_after::text when 1 then e.shipment_after::text
                          when 2 then e.customer_after::text else e.product_after::text end as after
from events e
where e.id = any ($1::bigint[]) and e.at between $2::timestamptz and $3::timestamptz
order by e.id
