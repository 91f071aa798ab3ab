-- Removes pulls that are over, unless a gateway has called since they were taken.
-- $1 business uuid, $2 shipments uuid[], $3 numbers text[], $4 taken_at timestamptz
delete from tracking_pulls p using unnest($2::uuid[], $3::text[]) n (shipment_id, number)
where p.business_id = $1::uuid and p.shipment_id = n.shipment_id and p.number = n.number
  and (p.hinted_at is null or p.hinted_at <= $4::timestamptz)
