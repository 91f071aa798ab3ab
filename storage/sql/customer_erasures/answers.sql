-- Returns the kept answers of idempotent requests that made records, or something that belongs to them; of records that left
-- the person, those until then.
-- $1 business uuid, $2 records uuid[], $3 session_owner uuid, $4 left_records uuid[], $5 lasts timestamptz[]
-- -> owner uuid, token uuid, key text
select k.business_id as owner, k.token_id as token, k.key
from idempotency_keys k
where k.status is not null and k.location is not null
  and (k.business_id = $1
       or (k.business_id = $3::uuid
           and exists (select from user_sessions s join users u on u.guid = s.user_id
                       where s.guid = k.token_id and u.business_id = $1)))
  and exists (select from regexp_matches(k.location, '[0-9a-f]{8}-[0-9a-f-]{27}', 'g') m (part)
              where m.part[1]::uuid = any ($2::uuid[])
                 or exists (select from unnest($4::uuid[], $5::timestamptz[]) l (record, last)
                            where l.record = m.part[1]::uuid and k.created_at <= l.last))
