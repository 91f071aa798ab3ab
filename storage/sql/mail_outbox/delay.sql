-- Delays a mail.
-- $1 mail uuid, $2 seconds int
update mail_outbox set due_at = now() + $2::integer * interval '1 second' where guid = $1::uuid
