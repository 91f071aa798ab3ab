-- Returns a page of the kept answers of idempotent requests that have the path of a new record.
-- $1 business uuid, $2 after_token uuid, $3 after_key text, $4 session_owner uuid, $5 limit bigint
-- -> owner uuid, token uuid, key text, location text, created_at timestamptz
(select k.business_id as owner, k.token_id as token, k.key, k.location, k.created_at
 from idempotency_keys k
 where k.business_id = $1 and (k.token_id, k.key) > ($2::uuid, $3::text)
   and k.status is not null and k.location is not null
 order by k.token_id, k.key limit $5::bigint)
union all
(select k.business_id, k.token_id, k.key, k.location, k.created_at
 from users u
 cross join lateral (select u.guid union all select s.guid from user_sessions s where s.user_id = u.guid) h (holder)
 join idempotency_keys k on k.business_id = $4::uuid and k.token_id = h.holder
 where u.business_id = $1 and (k.token_id, k.key) > ($2::uuid, $3::text)
   and k.status is not null and k.location is not null
 order by k.token_id, k.key limit $5::bigint)
order by token, key
limit $5::bigint
