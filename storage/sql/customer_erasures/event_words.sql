-- Returns the names, e-mail addresses, phone numbers and streets in the events of orders and shipments between two ids, in
-- lower case, the newest first, at most 1 000. Words that the business's name contains are left out, because they identify
-- nobody.
-- $1 business uuid, $2 records uuid[], $3 after_event bigint, $4 last_event bigint
-- -> word text, newest timestamptz
select lower(v.word) as word, max(v.at) as newest
from (select e.at, unnest(array[(o.r).delivery_name, (o.r).delivery_email, (o.r).delivery_phone, (o.r).delivery_street,
                                (o.s).recipient_name, (o.s).recipient_email, (o.s).recipient_phone, (o.s).recipient_street])
      from events e
      cross join lateral (values (e.order_before, e.shipment_before), (e.order_after, e.shipment_after)) o (r, s)
      where e.business_id = $1 and e.entity_id = any ($2::uuid[]) and e.id > $3::bigint and e.id <= $4::bigint) v (at, word)
where length(lower(v.word)) > 2 and v.word <> 'Erased'
  and not exists (select from businesses b where b.guid = $1 and strpos(lower(b.name), lower(v.word)) > 0)
group by lower(v.word)
order by max(v.at) desc, lower(v.word)
limit 1000
