-- Locks a carrier's configuration, so that no purchase begins through it before the end of the transaction, and returns its
-- account. No row if the carrier is not configured.
-- $1 business uuid, $2 carrier uuid
-- -> connector text, api_url text or null, account_number text or null, test_mode boolean, is_active boolean
select connector, api_url, account_number, test_mode, is_active
from carrier_configurations where business_id = $1::uuid and carrier_id = $2::uuid
for update
