-- Returns whether an upload was confirmed, then what its confirmation would change: counts and the first
-- hundred rows.
-- runs: long
-- $1 business uuid, $2 upload uuid
-- -> is_confirmed boolean, ...
with upload as (
  select guid, confirmed_at from customer_uploads
  where business_id = $1 and guid = $2 and (confirmed_at is not null or created_at > now() - interval '24 hours')
), entries as materialized (
  select u.*, c.guid is not null as is_known
  from customer_upload_parts p
  cross join unnest(p.lines, p.names, p.emails, p.phones, p.companies, p.streets, p.cities, p.states, p.postal_codes,
                    p.countries, p.external_references, p.tags)
    u (line, name, email, phone, company, street, city, state, postal_code, country, external_reference, tags)
  left join customers c on c.business_id = $1 and lower(c.email) = lower(u.email) and c.deleted_at is null
  where p.business_id = $1 and p.upload_id = $2
)
select confirmed_at is not null as is_confirmed, (select count(*) from entries) as total,
       (select count(*) from entries where not is_known) as create,
       (select count(*) from entries where is_known) as update,
       (select coalesce(json_agg(json_build_object(
                 'line', f.line, 'name', f.name, 'email', f.email, 'phone', f.phone, 'company', f.company,
                 'address', case when coalesce(f.street, f.city, f.state, f.postal_code, f.country) is not null
                                 then json_build_object('street', f.street, 'city', f.city, 'state', f.state,
                                                        'postalCode', f.postal_code, 'country', f.country) end,
                 'externalReference', f.external_reference, 'tags', f.tags,
                 'action', case when f.is_known then 'update' else 'create' end) order by f.line), '[]')
        from (select * from entries order by line limit 100) f) as rows
from upload
