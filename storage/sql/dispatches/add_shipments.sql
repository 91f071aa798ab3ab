-- Adds locked shipments to a locked dispatch.
-- $1 business, $2 dispatch, $3 shipments
update shipments set dispatch_id = $2 where business_id = $1 and guid = any($3::uuid[])
