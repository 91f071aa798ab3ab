-- Returns the stored events of records, in order, with the columns of the record before and after.
-- $1 business uuid, $2 records uuid[]
select e.id as "eventId", e.at, case e.entity_type when 0 then 'Order' when 1 then 'Shipment' else 'Customer' end as "entityType",
       e.entity_id as "entityId", e.cause,
       case e.entity_type when 0 then to_jsonb(e.order_before) when 1 then to_jsonb(e.shipment_before)
                          else to_jsonb(e.customer_before) end as before,
       case e.entity_type when 0 then to_jsonb(e.order_after) when 1 then to_jsonb(e.shipment_after)
                          else to_jsonb(e.customer_after) end as after
from events e
where e.business_id = $1 and e.entity_id = any ($2::uuid[])
order by e.id
