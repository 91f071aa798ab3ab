-- Adds an upload and returns its guid. No row if too many uploads are unconfirmed.
-- $1 business uuid, $2 guid uuid, $3 max_unconfirmed bigint
insert into customer_uploads (business_id, guid)
select $1, $2
where (select count(*) from (select from customer_uploads
                             where business_id = $1 and confirmed_at is null and created_at > now() - interval '24 hours'
                             limit $3::bigint) w) < $3::bigint
returning guid
