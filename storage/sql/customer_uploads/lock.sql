-- Locks an upload for confirmation unless another transaction has locked it. Returns whether it was
-- confirmed, the numbers of its parts and rows, and whether it is locked now.
-- $1 business uuid, $2 upload uuid
-- -> is_confirmed boolean, parts bigint, rows bigint, is_locked boolean
with held as (
  select guid, confirmed_at from customer_uploads where business_id = $1 and guid = $2 for update skip locked
)
select coalesce(h.confirmed_at, u.confirmed_at) is not null as is_confirmed,
       s.parts, s.rows, h.guid is not null as is_locked
from customer_uploads u left join held h on true
  cross join lateral (
    select count(*) as parts, coalesce(sum(cardinality(p.lines)), 0)::bigint as rows
    from customer_upload_parts p where p.business_id = $1 and p.upload_id = $2) s
where u.business_id = $1 and u.guid = $2
  and (u.confirmed_at is not null or u.created_at > now() - interval '24 hours')
