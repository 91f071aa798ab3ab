-- Adds reported details to the trace of this transaction's status change. The shipment is locked, so its last
-- change is this transaction's.
-- $1 business uuid, $2 shipment uuid, $3 time timestamptz or null (null: now), $4 description text,
-- $5 location text or null
update shipment_traces t set at = coalesce($3, t.at), description = $4, location = $5
where t.business_id = $1 and t.shipment_id = $2
  and t.id = (select max(m.id) from shipment_traces m
              where m.business_id = $1 and m.shipment_id = $2 and m.is_move
                and m.at >= now() - interval '1 millisecond')
