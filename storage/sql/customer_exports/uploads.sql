-- Returns the rows of uploads that hold an e-mail address of a person, or a name in a row without an address.
-- $1 business uuid, $2 emails text[], $3 names text[] (both in lower case)
select o.upload_id as "uploadId", u.line, u.name, u.email, u.phone, u.company, u.street as "address.street",
       u.city as "address.city", u.state as "address.state", u.postal_code as "address.postalCode",
       u.country as "address.country", u.external_reference as "externalReference", u.tags
from customer_upload_parts o
cross join unnest(o.lines, o.names, o.emails, o.phones, o.companies, o.streets, o.cities, o.states, o.postal_codes,
                  o.countries, o.external_references, o.tags)
  u (line, name, email, phone, company, street, city, state, postal_code, country, external_reference, tags)
where o.business_id = $1
  and case when u.email is null then lower(u.name) = any ($3::text[]) else lower(u.email) = any ($2::text[]) end
order by o.upload_id, u.line
