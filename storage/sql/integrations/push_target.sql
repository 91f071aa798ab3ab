-- Returns what is needed to report a shipment to its order's store. The store's columns are null for an order
-- created here.
-- $1 business uuid, $2 shipment uuid
-- -> tracking_number text, external_id text or null, carrier_name text or null, carrier_code text or null,
-- integration_id uuid or null, provider text or null, store_url text or null,
-- sealed_key text or null (in hex), sealed_secret text or null (in hex), is_on boolean
select s.tracking_number, o.external_id, k.name as carrier_name, k.code as carrier_code, i.guid as integration_id,
       i.provider, i.store_url, encode(i.api_key, 'hex') as sealed_key, encode(i.api_secret, 'hex') as sealed_secret,
       coalesce(i.status = 'active' and i.removed_at is null and i.push_tracking, false) as is_on
from shipments s
join orders o on o.business_id = $1 and o.guid = s.order_id and o.deleted_at is null
left join integrations i on i.business_id = $1 and i.guid = o.integration_id
left join carriers k on k.business_id in ($1, catalogue_business()) and k.guid = s.carrier_id
where s.business_id = $1 and s.guid = $2 and s.deleted_at is null
