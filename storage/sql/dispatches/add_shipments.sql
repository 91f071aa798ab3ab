-- Adds locked shipments to a locked dispatch.
-- $1 business uuid, $2 dispatch uuid, $3 shipments uuid[]
update shipments set dispatch_id = $2 where business_id = $1 and guid = any($3::uuid[])
