-- Returns what is needed to report a shipment to its order's store. The store's columns are null for an order
-- created here.
-- $1 business uuid, $2 shipment uuid
select s.tracking_number, o.external_id, k.name, k.code, i.guid, i.provider, i.store_url, encode(i.api_key, 'hex'),
       encode(i.api_secret, 'hex'), coalesce(i.status = 'active' and i.removed_at is null and i.push_tracking, false) as is_on
from shipments s
join orders o on o.business_id = $1 and o.guid = s.order_id and o.deleted_at is null
left join integrations i on i.business_id = $1 and i.guid = o.integration_id
left join carriers k on k.business_id in ($1, catalogue_business()) and k.guid = s.carrier_id
where s.business_id = $1 and s.guid = $2 and s.deleted_at is null
