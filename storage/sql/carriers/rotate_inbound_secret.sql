-- Replaces the inbound secret of a configured carrier. No row if the carrier is not configured.
-- $1 business uuid, $2 carrier uuid, $3 sealed_inbound_secret bytea
-- -> carrier uuid
update carrier_configurations set sealed_inbound_secret = $3 where business_id = $1 and carrier_id = $2
returning carrier_id as carrier
