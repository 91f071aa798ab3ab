-- Adds reported details to the trace of this transaction's status change. The shipment is locked, so its last
-- change is this transaction's.
-- $1 business, $2 shipment, $3 time or null for now, $4 description, $5 location
update shipment_traces t set at = coalesce($3, t.at), description = $4, location = $5
where t.business_id = $1 and t.shipment_id = $2
  and t.id = (select max(m.id) from shipment_traces m
              where m.business_id = $1 and m.shipment_id = $2 and m.is_move
                and m.at >= now() - interval '1 millisecond')
