-- Replaces a mail that is not sent yet unless it has changed.
-- $1 business uuid, $2 id uuid, $3 name text, $4 old_value bytea (sealed), $5 new_value bytea (sealed)
update mail_outbox set sealed = $5::bytea
where guid = $1::uuid and guid = $2::uuid and $3::text = '' and sealed = $4::bytea
