-- Deletes a mail.
-- $1 mail
delete from mail_outbox where guid = $1::uuid
