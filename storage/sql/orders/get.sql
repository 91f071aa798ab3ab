-- Returns an order with all its fields.
-- runs: merged by get_merged
-- $1 business uuid, $2 order uuid
select
\ir answer.inc
from orders r
left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
