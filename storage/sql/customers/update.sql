-- Changes the given columns of a customer and returns it. Writes nothing if nothing changes.
-- $1 business uuid, $2 customer uuid, $3 changes jsonb (JSON object by column)
with held as (
  select c as old from customers c where c.business_id = $1 and c.guid = $2 and c.deleted_at is null for update
), merged as (
  select n.* from held, jsonb_populate_record(held.old, $3) n
), changed as (
  update customers r
  set name = m.name, email = m.email, phone = m.phone, company = m.company, street = m.street, city = m.city,
      state = m.state, postal_code = m.postal_code, country = m.country
  from merged m
  where r.business_id = $1 and r.guid = m.guid
    and (r.name, r.email, r.phone, r.company, r.street, r.city, r.state, r.postal_code, r.country)
        is distinct from (m.name, m.email, m.phone, m.company, m.street, m.city, m.state, m.postal_code, m.country)
)
select guid, name, email from merged
