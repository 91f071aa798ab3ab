-- Removes a locked shipment from a locked dispatch.
-- $1 business uuid, $2 dispatch uuid, $3 shipment uuid
update shipments set dispatch_id = null where business_id = $1 and dispatch_id = $2 and guid = $3
