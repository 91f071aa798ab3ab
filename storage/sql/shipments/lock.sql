-- Locks a shipment and returns its values: those that code decides, the address that its carrier's pattern gives, then the
-- merged ones.
-- $1 business uuid, $2 shipment uuid
-- -> status text, customer_id uuid or null, carrier_id uuid or null, service_level text or null,
-- made_tracking_url text or null, label_status text or null, is_return boolean, packages jsonb,
-- version text, ...
select
\ir values.inc
from shipments r where r.business_id = $1 and r.guid = $2 and r.deleted_at is null
for update
