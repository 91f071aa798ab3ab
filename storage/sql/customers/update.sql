-- Gives the columns named in $3, a JSON object, new values: $1 business, $2 guid. Nothing happens when nothing changes.
with merged as (
  select guid,
         case when g ? 'name' then g ->> 'name' else name end as name,
         case when g ? 'email' then g ->> 'email' else email end as email,
         case when g ? 'phone' then g ->> 'phone' else phone end as phone,
         case when g ? 'company' then g ->> 'company' else company end as company,
         case when g ? 'street' then g ->> 'street' else street end as street,
         case when g ? 'city' then g ->> 'city' else city end as city,
         case when g ? 'state' then g ->> 'state' else state end as state,
         case when g ? 'postal_code' then g ->> 'postal_code' else postal_code end as postal_code,
         case when g ? 'country' then g ->> 'country' else country end as country
  from customers, cast($3 as jsonb) g
  where business_id = $1 and guid = $2 and deleted_at is null
  for update of customers
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
