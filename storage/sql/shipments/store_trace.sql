-- Adds a trace without a status change.
-- $1 business, $2 shipment, $3 status, $4 time or null for now, $5 description, $6 location
insert into shipment_traces (business_id, shipment_id, at, status, description, location, is_move)
values ($1, $2, coalesce($4, clock_timestamp()), $3, $5, $6, false)
