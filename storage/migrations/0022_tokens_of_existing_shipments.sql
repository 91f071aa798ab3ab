-- Gives the shipments that exist a token. A migration of its own, because the one before locks the table of shipments
-- until it is committed.
insert into tracking_tokens (token, business_id, shipment_id)
select random_token(), s.business_id, s.guid from shipments s
on conflict do nothing;
