-- Returns the records that were a person's and are not any more, also those that are gone, each with a time in which it was:
-- orders and shipments that left the person, the shipments of these orders, and shipments that left the person's orders.
-- The time goes on until a later change has replaced the recipient that the record had when it left.
-- $1 business uuid, $2 customer uuid, $3 orders uuid[], $4 shipments uuid[] (those that are the person's)
-- -> guid uuid, first timestamptz, last timestamptz
with left_customer as materialized (
  select e.entity_type, e.entity_id, coalesce(entered.at, to_timestamp(0)) as first, e.at as last
  from (select o.entity_type, o.entity_id, o.id, o.at from events o
        where o.business_id = $1 and coalesce((o.order_before).customer_id, (o.shipment_before).customer_id) = $2
          and coalesce((o.order_after).customer_id, (o.shipment_after).customer_id)
              is distinct from coalesce((o.order_before).customer_id, (o.shipment_before).customer_id)
        offset 0) e
  left join lateral (select n.at from events n
                     where n.business_id = $1 and n.entity_id = e.entity_id and n.id < e.id
                       and coalesce((n.order_after).customer_id, (n.shipment_after).customer_id) = $2
                       and coalesce((n.order_before).customer_id, (n.shipment_before).customer_id) is distinct from $2
                     order by n.id desc limit 1) entered on true
  where e.entity_id <> all ($3::uuid[] || $4::uuid[])
), found as (
  select l.entity_id as guid, l.first, l.last from left_customer l
  union
  select s.guid, l.first, l.last
  from left_customer l
  join shipments s on s.business_id = $1 and s.order_id = l.entity_id and s.deleted_at is null
  where l.entity_type = 0
  union
  select s.guid, l.first, l.last
  from left_customer l
  join shipments s on s.business_id = $1 and s.order_id = l.entity_id and s.deleted_at is not null
  where l.entity_type = 0
  union
  select e.entity_id, coalesce(l.first, to_timestamp(0)), least(l.last, e.at)
  from events e
  left join left_customer l on l.entity_id = (e.shipment_before).order_id
  where e.business_id = $1
    and (e.shipment_before).order_id = any ($3::uuid[] || array(select entity_id from left_customer where entity_type = 0))
    and (e.shipment_after).order_id is distinct from (e.shipment_before).order_id
)
select f.guid, f.first, greatest(f.last, replaced.at) as last
from found f
left join lateral (
  select e.id, coalesce((e.order_before).guid, (e.shipment_before).guid) is not null as has_record,
         array[coalesce((e.order_before).delivery_name, (e.shipment_before).recipient_name),
               coalesce((e.order_before).delivery_phone, (e.shipment_before).recipient_phone),
               coalesce((e.order_before).delivery_email, (e.shipment_before).recipient_email),
               coalesce((e.order_before).delivery_street, (e.shipment_before).recipient_street)] as recipient
  from events e
  where e.business_id = $1 and e.entity_id = f.guid and e.at >= f.last
  order by e.id limit 1
) was on true
left join lateral (
  select max(n.at) as at
  from events n
  where n.business_id = $1 and n.entity_id = f.guid and n.id >= was.id
    and coalesce((n.order_before).guid, (n.shipment_before).guid) is not null
    and coalesce((n.order_after).guid, (n.shipment_after).guid) is not null
    and array[coalesce((n.order_before).delivery_name, (n.shipment_before).recipient_name),
              coalesce((n.order_before).delivery_phone, (n.shipment_before).recipient_phone),
              coalesce((n.order_before).delivery_email, (n.shipment_before).recipient_email),
              coalesce((n.order_before).delivery_street, (n.shipment_before).recipient_street)] = was.recipient
    and array[coalesce((n.order_after).delivery_name, (n.shipment_after).recipient_name),
              coalesce((n.order_after).delivery_phone, (n.shipment_after).recipient_phone),
              coalesce((n.order_after).delivery_email, (n.shipment_after).recipient_email),
              coalesce((n.order_after).delivery_street, (n.shipment_after).recipient_street)] <> was.recipient
) replaced on true
where f.guid <> all ($3::uuid[] || $4::uuid[]) and f.first <= f.last
  and (was.id is null or was.has_record  -- otherwise a shipment that was made later
       or exists (select from events n where n.business_id = $1 and n.entity_id = f.guid and n.at < f.last))
