-- Notes a pull without an answer; it is due again after a pause.
-- $1 business uuid, $2 shipment uuid, $3 number text, $4 pause interval
update tracking_pulls p
set asked_at = statement_timestamp(), failures = p.failures + 1, due_at = statement_timestamp() + $4::interval
where p.business_id = $1::uuid and p.shipment_id = $2::uuid and p.number = $3::text
