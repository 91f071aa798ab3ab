-- Changes the given columns of a customer. Returns whether the metadata has room for the change, and the customer.
-- Writes nothing if nothing changes.
-- $1 business uuid, $2 customer uuid, $3 changes jsonb (JSON object by column; metadata by key)
-- -> has_room boolean, ...
with held as (
  select c as old from customers c where c.business_id = $1 and c.guid = $2 and c.deleted_at is null for update
), merged as (
  select n.*, metadata_keys(n.metadata) <= greatest(50, metadata_keys((held.old).metadata)) as has_room
  from held, jsonb_populate_record(held.old, merged_changes((held.old).metadata, $3)) n
), changed as (
  update customers r
  set name = m.name, email = m.email, phone = m.phone, company = m.company, street = m.street, city = m.city,
      state = m.state, postal_code = m.postal_code, country = m.country, external_reference = m.external_reference,
      tags = m.tags, metadata = m.metadata
  from merged m
  where r.business_id = $1 and r.guid = m.guid and m.has_room
    and (r.name, r.email, r.phone, r.company, r.street, r.city, r.state, r.postal_code, r.country, r.external_reference,
         r.tags, r.metadata)
        is distinct from (m.name, m.email, m.phone, m.company, m.street, m.city, m.state, m.postal_code, m.country,
                          m.external_reference, m.tags, m.metadata)
)
select has_room, guid, name, email from merged
