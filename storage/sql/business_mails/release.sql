-- Takes back $3 recipients that were counted for business $1 on the day $2.
update business_mails set recipients = recipients - $3::integer where business_id = $1::uuid and day = $2::date
