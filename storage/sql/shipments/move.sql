-- Changes a locked shipment to a reported status, unless its status has changed since the reported time.
-- $1 business uuid, $2 shipment uuid, $3 status text, $4 reported_time timestamptz or null (null: now)
update shipments r
set status = $3, delivered_at = case when $3 = 'delivered' then coalesce($4, clock_timestamp()) else r.delivered_at end
where r.business_id = $1 and r.guid = $2
  and not exists (select from shipment_traces t
                  where t.business_id = $1 and t.shipment_id = $2 and t.is_move
                    and t.at > coalesce($4, clock_timestamp())::timestamptz(3))
