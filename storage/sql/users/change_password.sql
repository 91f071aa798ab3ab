-- Replaces the password of user $1: $2 the hash that the present password was compared with, $3 the new one. Reset tokens
-- of the account go. No row: the password was changed meanwhile.
with resets as (
  delete from password_resets where user_id = $1::uuid
)
update users set password_hash = $3, updated_at = now()
where guid = $1::uuid and password_hash = $2
returning guid
