-- Subtracts recipients from a business's count of a day.
-- $1 business uuid, $2 day date, $3 recipients int
update business_mails set recipients = recipients - $3::integer where business_id = $1::uuid and day = $2::date
