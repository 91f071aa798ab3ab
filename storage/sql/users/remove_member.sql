-- Removes a user from a business. The account stays without business, sessions, subscriptions, views, settings
-- and the answers kept for its cookie sessions; an invitation is deleted.
-- $1 business uuid, $2 user uuid, $3 session_owner uuid
with sessions as (
  delete from user_sessions s using users u
  where u.business_id = $1::uuid and u.guid = $2::uuid and s.user_id = u.guid
), keys as (
  delete from idempotency_keys k using users u
  where u.business_id = $1::uuid and u.guid = $2::uuid and k.business_id = $3::uuid and k.token_id = u.guid
), subscriptions as (
  delete from push_subscriptions where business_id = $1::uuid and user_id = $2::uuid
), preferences as (
  delete from user_preferences where business_id = $1::uuid and user_id = $2::uuid
), invitation as (
  delete from users where business_id = $1::uuid and guid = $2::uuid and password_hash is null
)
update users set business_id = null, role = null, updated_at = now()
where business_id = $1::uuid and guid = $2::uuid and password_hash is not null
