-- Changes the status of an order if its present status allows it, and returns the order. No row if it does not exist, has
-- the status already or must not move; orders.sql then gives the reason.
-- runs: shared by orders_shared
-- $1 business uuid, $2 order uuid, $3 status text, $4 allowed_from text[]
-- -> guid uuid
update orders set status = $3
where business_id = $1 and guid = $2 and deleted_at is null and status = any($4::text[]) and status <> $3
returning guid
