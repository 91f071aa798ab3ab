-- Adds a mail that is sent within an hour or not at all.
-- $1 mail uuid, $2 sealed_mail bytea
insert into mail_outbox (guid, sealed, expires_at) values ($1::uuid, $2::bytea, now() + interval '1 hour')
