-- Adds a trace without a status change.
-- $1 business uuid, $2 shipment uuid, $3 status text, $4 time timestamptz or null (null: now),
-- $5 description text, $6 location text or null
insert into shipment_traces (business_id, shipment_id, at, status, description, location, is_move)
values ($1, $2, coalesce($4, clock_timestamp()), $3, $5, $6, false)
