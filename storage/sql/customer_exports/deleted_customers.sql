-- Returns deleted customers, oldest first.
-- $1 business uuid, $2 customers uuid[]
select
\columns answer customers.answered r
  , r.deleted_at as "deletedAt"
from customers r where r.business_id = $1 and r.guid = any ($2::uuid[]) and r.deleted_at is not null
order by r.created_at, r.guid
