-- Stores the time of use of an API token, at most once per minute.
-- $1 business uuid, $2 token uuid
update api_tokens set last_used = now()
where business_id = $1::uuid and guid = $2::uuid
  and (last_used is null or last_used not between now() - interval '1 minute' and now() + interval '1 minute')
