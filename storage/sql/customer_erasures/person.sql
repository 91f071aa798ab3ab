-- Returns the texts that identify a person, in lower case: those of the customer and earlier ones in stored events, the
-- newest first, at most 1 000. A word is long enough to be searched for inside other texts.
-- $1 business uuid, $2 customer uuid
-- -> kind text, value text, is_word boolean
select v.kind, lower(v.value) as value, length(lower(v.value)) > 2 as is_word
from (select c, null::bigint from customers c where c.business_id = $1 and c.guid = $2
      union all
      select e.customer_before, e.id from events e where e.business_id = $1 and e.entity_id = $2 and e.entity_type = 2
      union all
      select e.customer_after, e.id from events e
      where e.business_id = $1 and e.entity_id = $2 and e.entity_type = 2) p (customer, event)
cross join lateral (values ('name', (p.customer).name), ('email', (p.customer).email), ('phone', (p.customer).phone),
                           ('street', (p.customer).street)) v (kind, value)
where v.value <> '' and v.value <> 'Erased'
group by v.kind, lower(v.value)
order by max(coalesce(p.event, 9223372036854775807)) desc, v.kind, lower(v.value)
limit 1000
