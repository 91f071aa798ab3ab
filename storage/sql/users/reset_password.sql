-- Sets the password of the account with a reset token and forgets the failed logins with its address, which counts as verified,
-- because the token was mailed to it. No row if the token is wrong, used or expired.
-- $1 token_hash bytea, $2 password_hash text
-- -> guid uuid
with taken as (
  delete from password_resets where token_hash = $1::bytea and expires_at > now() returning user_id
), changed as (
  update users u
  set password_hash = $2, verified_at = coalesce(u.verified_at, now()), mail_token_hash = null,
      mail_token_expires_at = null, updated_at = now()
  from taken
  where u.guid = taken.user_id and u.password_hash is not null
  returning u.guid, u.email
), forgotten as (
  delete from login_failures f using changed c where f.key = sha256(convert_to('email:' || lower(c.email), 'UTF8'))
)
select guid from changed
