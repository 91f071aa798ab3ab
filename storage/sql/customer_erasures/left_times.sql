-- Returns the times in which records were a person's. A time is extended until a later change replaced the recipient that
-- the record had when it left the person. A shipment that was created after the end of its time is left out.
-- $1 business uuid, $2 records uuid[], $3 firsts timestamptz[], $4 lasts timestamptz[]
-- -> guid uuid, first timestamptz, last timestamptz
select f.guid, f.first, greatest(f.last, replaced.at) as last
from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) f (guid, first, last)
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
where f.first <= f.last
  and (was.id is null or was.has_record
       or exists (select from events n where n.business_id = $1 and n.entity_id = f.guid and n.at < f.last))
