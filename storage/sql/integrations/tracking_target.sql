-- Returns what is needed to report a shipment, other than a return, to its order's store. The store's columns are null for an
-- order created here.
-- $1 business uuid, $2 shipment uuid
-- -> tracking_number text, carrier_number text or null, carrier_url text or null (given, or made from the pattern),
-- token text or null (of the tracking page, 32 digits), shipped_at timestamptz or null, external_id text or null,
-- carrier_name text or null, carrier_code text or null, integration_id uuid or null, provider text or null,
-- store_url text or null, sealed_key text or null (in hex), sealed_secret text or null (in hex), is_on boolean,
-- is_test boolean (a test label was bought for it, or its carrier is in test mode and none was), order_id uuid,
-- is_part boolean (made of chosen items of the order), items jsonb or null (those of the order, unless it is unknown which are in
-- the shipment), parcel jsonb, sent jsonb or null (what the shipment, and the others of the order that are underway or
-- delivered, have of the items: {items, pieces} with the columns order_items and order_pieces)
select s.tracking_number, s.carrier_tracking_number as carrier_number,
       coalesce(s.carrier_tracking_url, tracking_url(k.tracking_url_pattern, s.carrier_tracking_number)) as carrier_url,
       encode(uuid_send(t.token), 'hex') as token,
       (select min(m.at) from shipment_traces m
        where m.business_id = $1 and m.shipment_id = $2
          and m.status in ('collected', 'in_transit', 'out_for_delivery', 'delivered')) as shipped_at,
       o.external_id, k.name as carrier_name, k.code as carrier_code, i.guid as integration_id, i.provider, i.store_url,
       encode(i.api_key, 'hex') as sealed_key, encode(i.api_secret, 'hex') as sealed_secret,
       coalesce(i.status = 'active' and i.removed_at is null and i.push_tracking, false) as is_on,
       coalesce((select p.test_mode from purchases p
                 where p.business_id = $1 and p.shipment_id = s.guid and p.stray_of is null
                   and p.status in ('bought', 'voiding', 'unknown')),
                c.test_mode, false) as is_test,
       o.guid as order_id, s.order_items is not null as is_part,
       case when coalesce(to_jsonb(s.order_items), s.order_pieces) is not null then (
         select jsonb_agg(jsonb_build_object('guid', e.item -> 'guid', 'description', e.item -> 'description',
                                             'sku', e.item -> 'sku', 'quantity', e.item -> 'quantity') order by e.place)
         from jsonb_array_elements(o.items::jsonb) with ordinality e (item, place)) end as items,
       jsonb_build_object('items', s.order_items, 'pieces', s.order_pieces) as parcel,
       (select jsonb_agg(jsonb_build_object('items', x.order_items, 'pieces', x.order_pieces)) from shipments x
        where x.business_id = $1 and x.order_id = o.guid and x.guid <> s.guid and x.deleted_at is null
          and x.is_return is not true and x.status in ('collected', 'in_transit', 'out_for_delivery', 'delivered')) as sent
from shipments s
join orders o on o.business_id = $1 and o.guid = s.order_id and o.deleted_at is null
left join integrations i on i.business_id = $1 and i.guid = o.integration_id
left join carriers k on k.business_id in ($1, catalogue_business()) and k.guid = s.carrier_id
left join carrier_configurations c on c.business_id = $1 and c.carrier_id = s.carrier_id
left join tracking_tokens t on t.business_id = $1 and t.shipment_id = s.guid
where s.business_id = $1 and s.guid = $2 and s.deleted_at is null and s.is_return is not true
