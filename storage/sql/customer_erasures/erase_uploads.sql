-- Deletes the rows of the next parts of uploads that hold an e-mail address of a person, or a name in a row without an
-- address. Returns the number of parts, at most a limit, and the last of them.
-- $1 business uuid, $2 emails text[], $3 names text[] (both in lower case), $4 after_upload uuid, $5 after_part int, $6 limit bigint
-- -> parts bigint, last_upload uuid, last_part int
with page as materialized (
  select upload_id, part from customer_upload_parts
  where business_id = $1 and (upload_id, part) > ($4::uuid, $5::integer)
  order by upload_id, part limit $6::bigint
), changed as (
  update customer_upload_parts p
  set lines = n.lines, names = n.names, emails = n.emails, phones = n.phones, companies = n.companies, streets = n.streets,
      cities = n.cities, states = n.states, postal_codes = n.postal_codes, countries = n.countries,
      external_references = n.external_references, tags = n.tags
  from (
    select o.upload_id, o.part,
           coalesce(array_agg(u.line order by u.n) filter (where kept), '{}') as lines,
           coalesce(array_agg(u.name order by u.n) filter (where kept), '{}') as names,
           coalesce(array_agg(u.email order by u.n) filter (where kept), '{}') as emails,
           coalesce(array_agg(u.phone order by u.n) filter (where kept), '{}') as phones,
           coalesce(array_agg(u.company order by u.n) filter (where kept), '{}') as companies,
           coalesce(array_agg(u.street order by u.n) filter (where kept), '{}') as streets,
           coalesce(array_agg(u.city order by u.n) filter (where kept), '{}') as cities,
           coalesce(array_agg(u.state order by u.n) filter (where kept), '{}') as states,
           coalesce(array_agg(u.postal_code order by u.n) filter (where kept), '{}') as postal_codes,
           coalesce(array_agg(u.country order by u.n) filter (where kept), '{}') as countries,
           coalesce(array_agg(u.external_reference order by u.n) filter (where kept), '{}') as external_references,
           coalesce(array_agg(u.tags order by u.n) filter (where kept), '{}') as tags
    from page g
    join customer_upload_parts o on o.business_id = $1 and o.upload_id = g.upload_id and o.part = g.part
    cross join unnest(o.lines, o.names, o.emails, o.phones, o.companies, o.streets, o.cities, o.states, o.postal_codes,
                      o.countries, o.external_references, o.tags) with ordinality
      u (line, name, email, phone, company, street, city, state, postal_code, country, external_reference, tags, n)
    cross join lateral (select case when u.email is null then lower(u.name) <> all ($3::text[])
                                    else lower(u.email) <> all ($2::text[]) end as kept) k
    group by o.upload_id, o.part
    having bool_or(not kept)
  ) n
  where p.business_id = $1 and p.upload_id = n.upload_id and p.part = n.part
)
select count(*) as parts,
       coalesce((select upload_id from page order by upload_id desc, part desc limit 1), $4::uuid) as last_upload,
       coalesce((select part from page order by upload_id desc, part desc limit 1), $5::integer) as last_part
from page
