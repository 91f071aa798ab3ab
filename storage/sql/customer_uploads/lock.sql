-- An upload that is to be confirmed, held until the transaction ends unless another one holds it: $1 business, $2 upload.
-- Answers whether it was confirmed, how many parts it has, and whether it is held.
with held as (
  select guid, confirmed_at from customer_uploads where business_id = $1 and guid = $2 for update skip locked
)
select coalesce(h.confirmed_at, u.confirmed_at) is not null,
       (select count(*) from customer_upload_parts p where p.business_id = $1 and p.upload_id = $2),
       h.guid is not null
from customer_uploads u left join held h on true
where u.business_id = $1 and u.guid = $2
  and (u.confirmed_at is not null or u.created_at > now() - interval '24 hours')
