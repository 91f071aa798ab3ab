-- Adds new orders of a store. An order without a carrier or service level from the service mapping has the defaults, as in
-- orders/create_many.sql, and so have its items. Its status has not changed since the store's last change.
-- $1 business uuid, $2 integration uuid, $3 orders jsonb (JSON array)
insert into orders (business_id, guid, order_number, status, customer_id, items, delivery_street, delivery_city,
                    delivery_state, delivery_postal_code, delivery_country, delivery_name, delivery_company, delivery_phone,
                    delivery_email, total_value, currency, notes, integration_id, external_id, source_type, source_url,
                    shipping_method, shipping_cost, carrier_id, service_level, created_at, status_changed_at)
select $1, n.guid, n.number, n.status, n.customer,
\ir items.inc
       , n.street, n.city, n.state, n.postal_code, n.country, left(n.name, 200), left(n.company, 200), left(n.phone, 200),
       n.email, n.total, n.currency, n.notes, $2, n.external_id, 'import', n.url, left(n.shipping_method, 200),
       n.shipping_cost, coalesce(n.carrier, case when n.level is null or k.levels ? n.level then k.guid end),
       coalesce(n.level,
                (select f.default_service_level from carrier_configurations f
                 where f.business_id = $1 and f.carrier_id = k.guid and k.levels ? f.default_service_level),
                case when k.guid is null or k.levels ? d.service_level then d.service_level end), n.created_at,
       greatest(n.created_at, least(n.changed_at, now()))
from jsonb_to_recordset($3) n (guid uuid, number text, status text, customer uuid, items jsonb, street text, city text,
                               state text, postal_code text, country text, name text, company text, phone text, email text,
                               total numeric, currency text, notes text, external_id text, url text, shipping_method text,
                               shipping_cost numeric, carrier uuid, level text, created_at timestamptz,
                               changed_at timestamptz)
left join business_defaults d on d.business_id = $1
left join lateral (
  select c.guid, coalesce(jsonb_path_query_array(c.service_levels, '$[*].code'), '[]') as levels from carriers c
  where c.business_id in ($1, catalogue_business()) and c.guid = coalesce(n.carrier, d.carrier_id)
    and c.deleted_at is null
) k on true
