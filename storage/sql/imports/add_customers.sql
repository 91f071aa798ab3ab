-- Adds customers that do not exist yet. Customers with the same e-mail address are one customer, and so are those
-- with the same guid; existing ones stay unchanged. The order of the rows prevents deadlocks between two pages.
-- $1 business uuid, $2 customers jsonb (JSON array of objects with the guid and the columns)
insert into customers (business_id, guid,
\columns names customers.imported
)
select $1, n.guid,
\columns values customers.imported n
from (select distinct on (coalesce(lower(c.email), c.guid::text)) c.*
      from jsonb_to_recordset($2) c (guid uuid,
\columns typed customers.imported
                                     )
      where c.email is null
        or not exists (select from customers k where k.business_id = $1 and lower(k.email) = lower(c.email)
                       and k.deleted_at is null)
      order by coalesce(lower(c.email), c.guid::text)) n
on conflict do nothing
