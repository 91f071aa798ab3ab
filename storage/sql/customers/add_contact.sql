-- Adds a contact to a customer. Returns whether there was room for it.
-- $1 business uuid, $2 customer uuid, $3 contact jsonb
-- -> has_room boolean
with held as (
  select guid, jsonb_array_length(contacts) < 1000 as has_room from customers
  where business_id = $1 and guid = $2 and deleted_at is null for update
), added as (
  update customers r set contacts = r.contacts || jsonb_build_array($3::jsonb) from held h
  where r.business_id = $1 and r.guid = h.guid and h.has_room
)
select has_room from held
