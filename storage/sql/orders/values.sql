-- Returns the values of an order: those that code decides, then the merged ones. Each change gives the order another
-- version.
-- runs: merged by values_merged
-- $1 business uuid, $2 order uuid
-- -> status text, customer_id uuid or null, items json, carrier_id uuid or null, service_level text or null,
-- collection_start text or null, collection_end text or null, order_number text, currency text, version text, ...
select
\ir values.inc
from orders o where o.business_id = $1 and o.guid = $2 and o.deleted_at is null
