-- Returns whether the customer exists, and the codes of the carrier's service levels (null if it does not exist).
-- runs: merged by references_merged
-- $1 business uuid, $2 customer uuid or null, $3 carrier uuid or null
-- -> customer_exists boolean, levels jsonb or null
select
\ir references.inc
from (select $1::uuid as business_id, $2::uuid as customer, $3::uuid as carrier) w
