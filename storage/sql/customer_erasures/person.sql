-- Returns the texts that identify a person, in lower case, with the last event that has them: those of the person's customers
-- (event 0) and of their events between two ids. A word is long enough to be searched for inside other texts.
-- $1 business uuid, $2 customers uuid[], $3 after_event bigint, $4 last_event bigint
-- -> kind text, value text, is_word boolean, event bigint
select v.kind, lower(v.value) as value, length(lower(v.value)) > 2 as is_word, max(p.event) as event
from (select c, 0::bigint from customers c where c.business_id = $1 and c.guid = any ($2::uuid[])
      union all
      select o.r, e.id from events e cross join lateral (values (e.customer_before), (e.customer_after)) o (r)
      where e.business_id = $1 and e.entity_id = any ($2::uuid[]) and e.entity_type = 2 and e.id > $3::bigint and e.id <= $4::bigint
     ) p (customer, event)
cross join lateral (values ('name', (p.customer).name), ('email', (p.customer).email), ('phone', (p.customer).phone),
                           ('street', (p.customer).street)) v (kind, value)
where v.value <> '' and v.value <> 'Erased'
group by v.kind, lower(v.value)
