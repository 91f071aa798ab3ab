-- Returns the orders of a customer, oldest first.
-- $1 business uuid, $2 customer uuid
select
\ir ../orders/answer.inc
from orders r
left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
left join integrations i on i.business_id = r.business_id and i.guid = r.integration_id
where r.business_id = $1 and r.customer_id = $2 and r.deleted_at is null
order by r.created_at, r.guid
