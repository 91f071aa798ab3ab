-- Returns a customer with all its fields.
-- $1 business uuid, $2 customer uuid
select
/*fields*/
\columns answer customers.answered r
/*end*/
from customers r where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
