-- Deletes the quota windows of a business, its tokens, its users and its links, and the sessions of its users with what is
-- kept for them. The links themselves are rows of the business.
-- $1 business uuid, $2 session_owner uuid
with sessions as (
  delete from user_sessions s using users u where u.business_id = $1::uuid and s.user_id = u.guid returning s.guid
), holders as (
  select guid from sessions
  union all
  select guid from users where business_id = $1::uuid
), keys as (
  delete from idempotency_keys k using holders h
  where k.business_id = $2::uuid and k.token_id = h.guid
)
delete from quota_windows w
where w.token_id = $1::uuid
   or w.token_id in (select guid from holders
                     union all
                     select guid from api_tokens where business_id = $1::uuid
                     union all
                     select guid from console_sessions where business_id = $1::uuid)
