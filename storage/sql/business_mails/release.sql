-- Subtracts recipients from a business's count of a day.
-- $1 business, $2 day, $3 number of recipients
update business_mails set recipients = recipients - $3::integer where business_id = $1::uuid and day = $2::date
