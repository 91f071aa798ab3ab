-- Delays a message, unless it has been claimed again.
-- $1 business uuid, $2 message uuid, $3 attempts int (with this one), $4 due_at timestamptz, $5 counts boolean (as an attempt)
update alert_messages set due_at = $4::timestamptz, attempts = case when $5::boolean then attempts else attempts - 1 end
where business_id = $1::uuid and guid = $2::uuid and attempts = $3::integer
