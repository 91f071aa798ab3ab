-- Returns what the purchase of a shipment's label depends on: the shipment, the active connection of its carrier, and the
-- currency of the business. No row if the shipment does not exist.
-- $1 business uuid, $2 shipment uuid
-- -> status text, service_level text or null, carrier_id uuid or null, carrier text or null, connector text or null,
-- test_mode boolean or null, default_level text or null, label_format text or null, service_codes jsonb or null,
-- currency text
select r.status, r.service_level, r.carrier_id, k.name as carrier, g.connector, g.test_mode,
       g.default_service_level as default_level, g.label_format, g.service_codes, b.currency
from shipments r
join businesses b on b.guid = r.business_id
left join carriers k on k.business_id in (r.business_id, catalogue_business()) and k.guid = r.carrier_id
  and k.deleted_at is null
left join carrier_configurations g on g.business_id = r.business_id and g.carrier_id = k.guid and g.is_active
where r.business_id = $1::uuid and r.guid = $2::uuid and r.deleted_at is null
