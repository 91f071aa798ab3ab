-- Returns the names, e-mail addresses, phone numbers and streets that identify a person in orders and shipments, in lower
-- case, the newest first, at most 1 000. Words that the business's name contains are left out, because they identify
-- nobody: a parcel that waits in the shop may name the shop.
-- $1 business uuid, $2 records uuid[]
-- -> word text, newest timestamptz
select lower(v.word) as word, max(v.at) as newest
from (select o.created_at, unnest(array[o.delivery_name, o.delivery_email, o.delivery_phone, o.delivery_street])
      from orders o where o.business_id = $1 and o.guid = any ($2::uuid[])
      union all
      select s.created_at, unnest(array[s.recipient_name, s.recipient_email, s.recipient_phone, s.recipient_street])
      from shipments s where s.business_id = $1 and s.guid = any ($2::uuid[])) v (at, word)
where length(lower(v.word)) > 2 and v.word <> 'Erased'
  and not exists (select from businesses b where b.guid = $1 and strpos(lower(b.name), lower(v.word)) > 0)
group by lower(v.word)
order by max(v.at) desc, lower(v.word)
limit 1000
