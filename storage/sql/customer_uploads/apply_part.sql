-- Writes the rows of a part as customers. A customer with a known e-mail address is changed; values that its
-- row leaves empty stay.
-- $1 business uuid, $2 upload uuid, $3 part int
insert into customers as c (business_id, name, email, phone, company, street, city, state, postal_code, country,
                            external_reference, tags)
select p.business_id, u.*
from customer_upload_parts p
cross join unnest(p.names, p.emails, p.phones, p.companies, p.streets, p.cities, p.states, p.postal_codes, p.countries,
                  p.external_references, p.tags) u
where p.business_id = $1 and p.upload_id = $2 and p.part = $3
on conflict (business_id, lower(email)) where deleted_at is null do update
set name = excluded.name, email = excluded.email, phone = coalesce(excluded.phone, c.phone),
    company = coalesce(excluded.company, c.company), street = coalesce(excluded.street, c.street),
    city = coalesce(excluded.city, c.city), state = coalesce(excluded.state, c.state),
    postal_code = coalesce(excluded.postal_code, c.postal_code), country = coalesce(excluded.country, c.country),
    external_reference = coalesce(excluded.external_reference, c.external_reference),
    tags = coalesce(excluded.tags, c.tags)
where (c.name, c.email, c.phone, c.company, c.street, c.city, c.state, c.postal_code, c.country, c.external_reference,
       c.tags)
      is distinct from (excluded.name, excluded.email, coalesce(excluded.phone, c.phone),
                        coalesce(excluded.company, c.company), coalesce(excluded.street, c.street),
                        coalesce(excluded.city, c.city), coalesce(excluded.state, c.state),
                        coalesce(excluded.postal_code, c.postal_code), coalesce(excluded.country, c.country),
                        coalesce(excluded.external_reference, c.external_reference), coalesce(excluded.tags, c.tags))
