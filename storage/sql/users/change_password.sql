-- Replaces a user's password and deletes the account's reset tokens. No row if the password was changed
-- meanwhile.
-- $1 user, $2 password hash that the present password was checked against, $3 new password hash
with resets as (
  delete from password_resets where user_id = $1::uuid
)
update users set password_hash = $3, updated_at = now()
where guid = $1::uuid and password_hash = $2
returning guid
