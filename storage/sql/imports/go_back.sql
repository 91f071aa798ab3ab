-- Moves a position of an integration back, because the store's clock was put back. A null position changes nothing.
-- Nothing happens if the worker has lost the lease.
-- $1 business uuid, $2 integration uuid, $3 worker uuid, $4 orders_reached timestamptz or null,
-- $5 products_reached timestamptz or null
update integrations
set orders_reached = case when orders_reached > $4::timestamptz then $4 else orders_reached end,
    orders_moved_at = case when orders_reached > $4::timestamptz then clock_timestamp() else orders_moved_at end,
    products_reached = case when products_reached > $5::timestamptz then $5 else products_reached end,
    products_moved_at = case when products_reached > $5::timestamptz then clock_timestamp() else products_moved_at end
where business_id = $1 and guid = $2 and lease_owner = $3
