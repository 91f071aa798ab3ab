-- The trace that a move of this transaction left says what was reported: $1 business, $2 shipment, $3 when it was, null
-- for now, $4 description, $5 location. Moves are made under the shipment's lock, so the last one is this.
update shipment_traces t set at = coalesce($3, t.at), description = $4, location = $5
where t.business_id = $1 and t.shipment_id = $2
  and t.id = (select max(m.id) from shipment_traces m
              where m.business_id = $1 and m.shipment_id = $2 and m.is_move
                and m.at >= now() - interval '1 millisecond')
