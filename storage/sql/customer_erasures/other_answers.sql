-- Returns a page of the kept answers of idempotent requests that have no path of a new record, of the last 24 hours.
-- $1 business uuid, $2 after_token uuid, $3 after_key text
-- -> owner uuid, token uuid, key text, body text (sealed)
select k.business_id as owner, k.token_id as token, k.key, k.body
from idempotency_keys k
where k.status is not null and k.location is null and k.created_at >= now() - interval '24 hours'
  and (k.token_id, k.key) > ($2::uuid, $3::text)
  and (k.business_id = $1
       or (k.business_id = '00000000-0000-0000-0000-000000000000'
           and exists (select from user_sessions s join users u on u.guid = s.user_id
                       where s.guid = k.token_id and u.business_id = $1)))
order by k.token_id, k.key
limit 100
