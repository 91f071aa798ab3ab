-- Returns the user who accepts the valid invitation of a mailed token: the account of its e-mail address, or else the
-- invited user. No row if the token is wrong, used or expired.
-- $1 token_hash bytea
-- -> guid uuid, email text
select coalesce(k.guid, i.guid) as guid, i.email
from users i
left join users k on lower(k.email) = lower(i.email) and k.password_hash is not null
where i.mail_token_hash = $1::bytea and i.mail_token_expires_at > now() and i.password_hash is null
