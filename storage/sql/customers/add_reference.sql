-- Adds a reference to a customer unless the customer has one with the same type and value. Returns whether
-- there was room, then all references.
-- $1 business uuid, $2 customer uuid, $3 reference jsonb
-- -> has_room boolean, ...
with held as (
  select guid, reference_list, jsonb_array_length(reference_list) < 1000 as has_room,
         reference_list @> jsonb_build_array($3::jsonb - 'guid') as is_known
  from customers where business_id = $1 and guid = $2 and deleted_at is null for update
), added as (
  update customers r set reference_list = r.reference_list || jsonb_build_array($3::jsonb) from held h
  where r.business_id = $1 and r.guid = h.guid and h.has_room and not h.is_known
  returning r.reference_list
)
select h.has_room or h.is_known as has_room, h.guid, coalesce(a.reference_list, h.reference_list) as "references"
from held h left join added a on true
