-- Replaces a mail by one for its remaining recipients, and delays it.
-- $1 mail uuid, $2 sealed_mail bytea, $3 seconds int
update mail_outbox set sealed = $2::bytea, due_at = now() + $3::integer * interval '1 second' where guid = $1::uuid
