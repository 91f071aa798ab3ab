-- Erases a person's data in orders.
-- $1 business uuid, $2 records uuid[], $3 words text[]
with held as materialized (
  select o as old from orders o where o.business_id = $1 and o.guid = any ($2::uuid[]) order by o.guid for update
), searched (text) as (
  select erased(h.old, '{}')::text from held h
),
\ir found_words.inc
update orders r
set
\columns assign orders.personal e
from found f, held h, erased(h.old, f.words) e
where r.business_id = $1 and r.guid = e.guid and h.old::text is distinct from e::text  -- json has no equality
