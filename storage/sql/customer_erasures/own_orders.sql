-- Returns the next orders of customers, deleted ones included. `offset 0` lets the indexes on the customer find them.
-- $1 business uuid, $2 customers uuid[], $3 after uuid, $4 limit bigint
-- -> guid uuid
select guid
from (select guid from orders where business_id = $1 and customer_id = any ($2::uuid[]) and deleted_at is null
      union all
      select guid from orders where business_id = $1 and customer_id = any ($2::uuid[]) and deleted_at is not null
      offset 0) o
where guid > $3::uuid
order by guid limit $4::bigint
