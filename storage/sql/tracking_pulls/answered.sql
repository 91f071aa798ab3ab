-- Notes an answered pull, and when the next one is due: after a pause, or a minute after this one if a gateway has called since
-- it was taken.
-- $1 business uuid, $2 shipment uuid, $3 number text, $4 taken_at timestamptz, $5 pause interval
update tracking_pulls p
set asked_at = statement_timestamp(), failures = 0,
    hinted_at = case when p.hinted_at > $4::timestamptz then p.hinted_at end,
    due_at = statement_timestamp() + case when p.hinted_at > $4::timestamptz then interval '1 minute' else $5::interval end
where p.business_id = $1::uuid and p.shipment_id = $2::uuid and p.number = $3::text
