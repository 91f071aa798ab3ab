-- Remembers a carrier's delivery. No row is added if it was seen before. Waits for another transaction that
-- adds the same delivery.
-- $1 business uuid, $2 carrier uuid, $3 delivery text
insert into carrier_deliveries (business_id, carrier_id, delivery_id) values ($1, $2, $3)
on conflict do nothing
