-- Sets the password of the account with a reset token. The e-mail address counts as verified, because the
-- token was mailed to it. No row if the token is wrong, used or expired.
-- $1 token_hash bytea, $2 password_hash text
-- -> guid uuid
with taken as (
  delete from password_resets where token_hash = $1::bytea and expires_at > now() returning user_id
)
update users u
set password_hash = $2, verified_at = coalesce(u.verified_at, now()), mail_token_hash = null,
    mail_token_expires_at = null, updated_at = now()
from taken
where u.guid = taken.user_id and u.password_hash is not null
returning u.guid
