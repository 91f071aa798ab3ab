-- Returns the user whose password a mailed token can reset. No row if the token is wrong, used or expired.
-- $1 token_hash bytea
-- -> guid uuid, email text
select u.guid, u.email
from password_resets r join users u on u.guid = r.user_id
where r.token_hash = $1::bytea and r.expires_at > now()
