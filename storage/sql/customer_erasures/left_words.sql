-- Returns the names, e-mail addresses, phone numbers and streets of records that left a person, as the events between two ids
-- show them for the times in which the records were the person's: in lower case, the newest first, at most 1 000. Words that
-- the record still has, and those that the business's name contains, are left out, because they do not identify the person.
-- $1 business uuid, $2 records uuid[], $3 firsts timestamptz[], $4 lasts timestamptz[], $5 after_event bigint, $6 last_event bigint
-- -> word text, newest timestamptz
select lower(v.word) as word, max(v.at) as newest
from (select e.at, e.entity_id, unnest(array[(r.o).delivery_name, (r.o).delivery_email, (r.o).delivery_phone,
                                             (r.o).delivery_street, (r.s).recipient_name, (r.s).recipient_email,
                                             (r.s).recipient_phone, (r.s).recipient_street])
      from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) k (record, first, last)
      join events e on e.business_id = $1 and e.entity_id = k.record and e.at between k.first and k.last
                         and e.id > $5::bigint and e.id <= $6::bigint
      cross join lateral (values (e.order_before, e.shipment_before, e.at > k.first),
                                 (e.order_after, e.shipment_after, e.at < k.last)) r (o, s, is_within)
      where r.is_within) v (at, record, word)
where length(lower(v.word)) > 2 and v.word <> 'Erased'
  and not exists (select from orders o where o.business_id = $1 and o.guid = v.record
                  and lower(v.word) in (lower(o.delivery_name), lower(o.delivery_email), lower(o.delivery_phone),
                                        lower(o.delivery_street)))
  and not exists (select from shipments s where s.business_id = $1 and s.guid = v.record
                  and lower(v.word) in (lower(s.recipient_name), lower(s.recipient_email), lower(s.recipient_phone),
                                        lower(s.recipient_street)))
  and not exists (select from businesses b where b.guid = $1 and strpos(lower(b.name), lower(v.word)) > 0)
group by lower(v.word)
order by max(v.at) desc, lower(v.word)
limit 1000
