-- Returns a purchase as answers show it, and whether nothing but a void can change its status any more.
-- $1 business uuid, $2 purchase uuid
-- -> is_final boolean, ...
select p.status in ('bought', 'refused', 'voided') as is_final,
\ir answer.inc
from purchases p
where p.business_id = $1::uuid and p.guid = $2::uuid
