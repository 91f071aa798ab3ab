-- Puts held shipments into a held dispatch: $1 business, $2 the dispatch, $3 the shipments.
update shipments set dispatch_id = $2 where business_id = $1 and guid = any($3::uuid[])
