-- Replaces a user's password and deletes the account's reset tokens. No row if the password has changed
-- since it was checked.
-- $1 user uuid, $2 checked_hash text, $3 new_hash text
with resets as (
  delete from password_resets where user_id = $1::uuid
)
update users set password_hash = $3, updated_at = now()
where guid = $1::uuid and password_hash = $2
returning guid
