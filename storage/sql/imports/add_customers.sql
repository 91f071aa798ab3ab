-- The customers that are not here yet: $1 business, $2 [{guid, name, email, phone}]. Those of one e-mail address are one;
-- who is here stays as he is. In order, so that two pages do not wait for each other.
insert into customers (business_id, guid, name, email, phone)
select $1, n.guid, left(n.name, 200), n.email, n.phone
from (select distinct on (coalesce(lower(c.email), c.guid::text)) c.*
      from jsonb_to_recordset($2) c (guid uuid, name text, email text, phone text)
      where c.email is null
        or not exists (select from customers k where k.business_id = $1 and lower(k.email) = lower(c.email)
                       and k.deleted_at is null)
      order by coalesce(lower(c.email), c.guid::text)) n
on conflict (business_id, lower(email)) where deleted_at is null do nothing
