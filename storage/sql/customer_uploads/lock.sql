-- An upload that is to be confirmed, held until the transaction ends: $1 business, $2 upload. Whether it was confirmed,
-- and how many parts it has.
select confirmed_at is not null,
       (select count(*) from customer_upload_parts p where p.business_id = $1 and p.upload_id = $2)
from customer_uploads
where business_id = $1 and guid = $2 and (confirmed_at is not null or created_at > now() - interval '24 hours')
for update
