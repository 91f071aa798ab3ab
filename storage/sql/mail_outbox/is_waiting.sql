-- Returns whether a mail is still in the outbox.
-- $1 mail uuid
-- -> is_waiting boolean
select exists (select from mail_outbox where guid = $1::uuid) as is_waiting
