-- Returns the next orders and shipments that left one of some customers, in the order of the events, each with a time in which it
-- was the customer's. `offset 0` lets the index on the customer find them.
-- $1 business uuid, $2 customers uuid[], $3 after_event bigint, $4 limit bigint
-- -> event bigint, is_order boolean, guid uuid, first timestamptz, last timestamptz
select e.id as event, e.entity_type = 0 as is_order, e.entity_id as guid, coalesce(entered.at, to_timestamp(0)) as first,
       e.at as last
from (select *
      from (select o.entity_type, o.entity_id, o.id, o.at,
                   coalesce((o.order_before).customer_id, (o.shipment_before).customer_id) as customer_id
            from events o
            where o.business_id = $1
              and coalesce((o.order_before).customer_id, (o.shipment_before).customer_id) = any ($2::uuid[])
              and coalesce((o.order_before).customer_id, (o.shipment_before).customer_id) is not null
              and coalesce((o.order_after).customer_id, (o.shipment_after).customer_id)
                  is distinct from coalesce((o.order_before).customer_id, (o.shipment_before).customer_id)
            offset 0) l
      where l.id > $3::bigint
      order by l.id limit $4::bigint) e
left join lateral (select n.at from events n
                   where n.business_id = $1 and n.entity_id = e.entity_id and n.id < e.id
                     and coalesce((n.order_after).customer_id, (n.shipment_after).customer_id) = e.customer_id
                     and coalesce((n.order_before).customer_id, (n.shipment_before).customer_id)
                         is distinct from e.customer_id
                   order by n.id desc limit 1) entered on true
order by e.id
