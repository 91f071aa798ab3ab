-- Replaces the locked views of a user by some of them.
-- $1 business uuid, $2 user uuid, $3 views jsonb (an array)
update user_preferences set views = $3::jsonb, updated_at = now() where business_id = $1::uuid and user_id = $2::uuid
