-- Deletes the oldest unconfirmed uploads of a business, so that it has at most a number of them with a new one. One that is being
-- confirmed or deleted stays.
-- $1 business uuid, $2 new_upload uuid, $3 max_unconfirmed bigint
with waiting as (
  select guid, row_number() over (order by created_at desc, guid desc) as place
  from customer_uploads
  where business_id = $1 and guid <> $2 and confirmed_at is null and created_at > now() - interval '24 hours'
), held as materialized (
  select u.guid from customer_uploads u join waiting w on w.guid = u.guid
  where u.business_id = $1 and u.confirmed_at is null and w.place >= $3
  for update of u skip locked
)
delete from customer_uploads u using held h where u.business_id = $1 and u.guid = h.guid
