-- Returns the texts for which an unfinished erasure of a customer searches, and the other customers that had the person among
-- their contacts.
-- $1 business uuid, $2 customer uuid
-- -> kind text, value text
select t.kind, t.value
from customer_erasures e
cross join lateral (select 'name', unnest(e.names) union all select 'email', unnest(e.emails)
                    union all select 'word', unnest(e.words)
                    union all select 'record', unnest(e.record_words)
                    union all select 'contact of', unnest(e.contact_of)::text) t (kind, value)
where e.business_id = $1 and e.customer_id = $2
