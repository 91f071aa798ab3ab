-- Returns the names, e-mail addresses, phone numbers and streets that identify a person in orders and shipments, and
-- earlier ones in their stored events, in lower case, the newest first, at most 1 000. What the business's name holds
-- identifies nobody: a parcel that waits in the shop may name the shop.
-- $1 business uuid, $2 orders uuid[], $3 shipments uuid[]
-- -> word text
select lower(v.word) as word
from (select o.created_at, unnest(array[o.delivery_name, o.delivery_email, o.delivery_phone, o.delivery_street])
      from orders o where o.business_id = $1 and o.guid = any ($2::uuid[])
      union all
      select s.created_at, unnest(array[s.recipient_name, s.recipient_email, s.recipient_phone, s.recipient_street])
      from shipments s where s.business_id = $1 and s.guid = any ($3::uuid[])
      union all
      select e.at, unnest(array[(o.r).delivery_name, (o.r).delivery_email, (o.r).delivery_phone, (o.r).delivery_street])
      from events e cross join lateral (values (e.order_before), (e.order_after)) o (r)
      where e.business_id = $1 and e.entity_id = any ($2::uuid[])
      union all
      select e.at, unnest(array[(s.r).recipient_name, (s.r).recipient_email, (s.r).recipient_phone, (s.r).recipient_street])
      from events e cross join lateral (values (e.shipment_before), (e.shipment_after)) s (r)
      where e.business_id = $1 and e.entity_id = any ($3::uuid[])) v (at, word)
where length(lower(v.word)) > 2 and v.word <> 'Erased'
  and not exists (select from businesses b where b.guid = $1 and strpos(lower(b.name), lower(v.word)) > 0)
group by lower(v.word)
order by max(v.at) desc, lower(v.word)
limit 1000
