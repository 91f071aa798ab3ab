-- Deletes a mail.
-- $1 mail uuid
delete from mail_outbox where guid = $1::uuid
