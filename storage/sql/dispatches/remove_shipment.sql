-- Removes a locked shipment from a locked dispatch.
-- $1 business, $2 dispatch, $3 shipment
update shipments set dispatch_id = null where business_id = $1 and dispatch_id = $2 and guid = $3
