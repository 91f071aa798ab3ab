-- Returns the mode of a carrier, and keeps its account until the end of the transaction. No row if the carrier is not connected to
-- the gateway.
-- $1 business uuid, $2 carrier uuid, $3 connector text
-- -> test_mode boolean
select test_mode from carrier_configurations
where business_id = $1::uuid and carrier_id = $2::uuid and connector = $3::text and is_active
for share
