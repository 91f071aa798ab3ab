-- Returns carriers that businesses reach through a gateway, and the number of all of them. Suspended businesses are left out.
-- $1 limit bigint
-- -> business uuid, business_name text, carrier uuid, carrier_name text, connector text, api_url text or null,
-- account_number text or null, sealed_key bytea or null, test_mode boolean, total bigint
select g.business_id as business, b.name as business_name, g.carrier_id as carrier, coalesce(k.name, '') as carrier_name,
       g.connector, g.api_url, g.account_number, g.sealed_api_key as sealed_key, coalesce(g.test_mode, false) as test_mode,
       count(*) over () as total
from carrier_configurations g
join businesses b on b.guid = g.business_id and b.suspended_at is null
left join lateral (select c.name from carriers c
                   where c.guid = g.carrier_id and c.business_id in (g.business_id, catalogue_business())
                     and c.deleted_at is null limit 1) k on true
where g.is_active and g.connector <> 'manual'
order by b.name, carrier_name, g.business_id, g.carrier_id
limit $1::bigint
