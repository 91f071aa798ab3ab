-- The last $3 events of the record $2 of business $1, newest first, and whether each is still to be recorded.
select e.id, e.business_id, e.entity_type, e.entity_id, e.at, e.cause::text,
       case e.entity_type when 0 then e.order_before::text when 1 then e.shipment_before::text
                          when 2 then e.customer_before::text else e.product_before::text end as before,
       case e.entity_type when 0 then e.order_after::text when 1 then e.shipment_after::text
                          when 2 then e.customer_after::text else e.product_after::text end as after,
       exists (select from pending_events p
               where p.shard = shard_of(e.business_id) and p.id = e.id and p.business_id = e.business_id) as pending
from events e
where e.business_id = $1::uuid and e.entity_id = $2::uuid
order by e.id desc
limit $3::bigint
