-- Returns orders, also deleted ones, oldest first.
-- $1 business uuid, $2 orders uuid[]
select
\ir ../orders/answer.inc
  , r.deleted_at as "deletedAt"
from orders r
left join customers c on c.business_id = r.business_id and c.guid = r.customer_id
left join integrations i on i.business_id = r.business_id and i.guid = r.integration_id
where r.business_id = $1 and r.guid = any ($2::uuid[])
order by r.created_at, r.guid
