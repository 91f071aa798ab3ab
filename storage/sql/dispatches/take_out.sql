-- Takes a held shipment out of a held dispatch: $1 business, $2 the dispatch, $3 the shipment.
update shipments set dispatch_id = null where business_id = $1 and dispatch_id = $2 and guid = $3
