-- Changes a contact of a customer and returns it. Writes nothing if nothing changes.
-- $1 business uuid, $2 customer uuid, $3 contact uuid, $4 changes jsonb
with held as (
  select guid, changed_element(list_element(contacts, $3::uuid::text), $4) as contact from customers
  where business_id = $1 and guid = $2 and deleted_at is null for update
), changed as (
  update customers r set contacts = list_with_changed(r.contacts, $3::uuid::text, $4) from held h
  where r.business_id = $1 and r.guid = h.guid and h.contact is not null
    and r.contacts <> list_with_changed(r.contacts, $3::uuid::text, $4)
)
select contact -> 'guid' as guid, contact -> 'name' as name from held where contact is not null
