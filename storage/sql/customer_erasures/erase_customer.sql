-- Erases a locked customer.
-- $1 business uuid, $2 customer uuid
update customers r
set
\columns assign customers.personal e
from (select (erased(c)).* from customers c where c.business_id = $1 and c.guid = $2) e
where r.business_id = $1 and r.guid = $2
