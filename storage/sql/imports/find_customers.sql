-- Returns the customers with the given e-mail addresses.
-- $1 business uuid, $2 emails text[]
-- -> email text, guid uuid, name text
select a.email, c.guid, c.name
from unnest($2::text[]) a (email)
join customers c on c.business_id = $1 and lower(c.email) = lower(a.email) and c.deleted_at is null
