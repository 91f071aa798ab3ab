-- Locks a customer, a deleted one only if `also_deleted`, and returns whether anything is left to erase.
-- $1 business uuid, $2 customer uuid, $3 also_deleted boolean
-- -> is_erased boolean
select c is not distinct from erased(c) as is_erased
from customers c where c.business_id = $1 and c.guid = $2 and (c.deleted_at is null or $3)
for update
