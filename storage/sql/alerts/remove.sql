-- Deletes a message that was delivered or given up, unless it has been claimed again.
-- $1 business uuid, $2 message uuid, $3 attempts int (with this one)
delete from alert_messages where business_id = $1::uuid and guid = $2::uuid and attempts = $3::integer
