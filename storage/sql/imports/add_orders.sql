-- Adds new orders of a store. An order without a carrier or service level from the service mapping has the defaults, as in
-- orders/create_many.sql, and so have its items. Its status has not changed since the store's last change.
-- $1 business uuid, $2 integration uuid, $3 orders jsonb (JSON array)
insert into orders (business_id, guid, order_number, status, customer_id, items, total_value, currency, integration_id,
                    external_id, source_type, shipping_cost, carrier_id, service_level, created_at, status_changed_at,
\columns names orders.imported
                    )
select $1, n.guid, n.number, n.status, n.customer,
\ir items.inc
       , n.total, n.currency, $2, n.external_id, 'import', n.shipping_cost,
       coalesce(n.carrier, case when n.level is null or k.levels ? n.level then k.guid end),
       coalesce(n.level,
                (select f.default_service_level from carrier_configurations f
                 where f.business_id = $1 and f.carrier_id = k.guid and k.levels ? f.default_service_level),
                case when k.guid is null or k.levels ? d.service_level then d.service_level end), n.created_at,
       greatest(n.created_at, least(n.changed_at, now())),
\columns values orders.imported n
from jsonb_to_recordset($3) n (guid uuid, number text, status text, customer uuid, items jsonb, total numeric, currency text,
                               external_id text, shipping_cost numeric, carrier uuid, level text,
                               created_at timestamptz, changed_at timestamptz,
\columns typed orders.imported
                               )
left join business_defaults d on d.business_id = $1
left join lateral (
  select c.guid, coalesce(jsonb_path_query_array(c.service_levels, '$[*].code'), '[]') as levels from carriers c
  where c.business_id in ($1, catalogue_business()) and c.guid = coalesce(n.carrier, d.carrier_id)
    and c.deleted_at is null
) k on true
