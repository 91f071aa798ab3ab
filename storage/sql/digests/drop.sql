-- Deletes locked digests of a deleted workflow with their items.
-- $1 businesses uuid[], $2 digests uuid[]
with dropped as (
  select * from unnest($1::uuid[], $2::uuid[]) n (business_id, guid)
), no_items as (
  delete from digest_items i using dropped c where i.business_id = c.business_id and i.digest_id = c.guid
), noted as (
  update digest_events e set is_dropped = true from dropped c
  where e.business_id = c.business_id and e.digest_id = c.guid and e.at = guid_time(c.guid)
)
delete from digests d using dropped c where d.business_id = c.business_id and d.guid = c.guid
