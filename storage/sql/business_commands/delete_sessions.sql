-- Deletes the quota windows of a business and its tokens, and the sessions of its users with what is kept for them.
-- $1 business uuid, $2 session_owner uuid
with sessions as (
  delete from user_sessions s using users u where u.business_id = $1::uuid and s.user_id = u.guid returning s.guid
), keys as (
  delete from idempotency_keys k using sessions s
  where k.business_id = $2::uuid and k.token_id = s.guid
)
delete from quota_windows w
where w.token_id = $1::uuid or w.token_id in (select guid from sessions union all select guid from api_tokens where business_id = $1::uuid)
