-- Returns what is needed to report a shipment to its order's store. The store's columns are null for an order
-- created here.
-- $1 business uuid, $2 shipment uuid
-- -> tracking_number text, carrier_number text or null, carrier_url text or null (given, or made from the pattern),
-- token text or null (of the tracking page, 32 digits), shipped_at timestamptz or null, external_id text or null,
-- carrier_name text or null, carrier_code text or null, integration_id uuid or null, provider text or null,
-- store_url text or null, sealed_key text or null (in hex), sealed_secret text or null (in hex), is_on boolean,
-- is_test boolean (a test label was bought for it, or its carrier is in test mode and none was), order_id uuid,
-- items jsonb or null (those of the order, if the shipment has only some of them),
-- is_last boolean (no item of the order is left for a later shipment)
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
       o.guid as order_id, p.items, coalesce(p.is_last, true) as is_last
from shipments s
join orders o on o.business_id = $1 and o.guid = s.order_id and o.deleted_at is null
left join integrations i on i.business_id = $1 and i.guid = o.integration_id
left join carriers k on k.business_id in ($1, catalogue_business()) and k.guid = s.carrier_id
left join carrier_configurations c on c.business_id = $1 and c.carrier_id = s.carrier_id
left join tracking_tokens t on t.business_id = $1 and t.shipment_id = s.guid
left join lateral (
  select case when not bool_and(i.is_in_parcel)
              then jsonb_agg(jsonb_build_object('guid', i.item -> 'guid', 'description', i.item -> 'description',
                                                'sku', i.item -> 'sku', 'quantity', i.item -> 'quantity',
                                                'isInParcel', i.is_in_parcel) order by i.place) end as items,
         bool_and(i.is_in_parcel
                  or exists (select from shipments x
                             where x.business_id = $1 and x.order_id = o.guid and x.deleted_at is null
                               and x.is_return is not true
                               and x.status in ('collected', 'in_transit', 'out_for_delivery', 'delivered')
                               and (x.order_items is null or lower(i.item ->> 'guid') = any (x.order_items::text[]))))
           as is_last
  from (select e.item, e.place,
               coalesce(lower(e.item ->> 'guid') = any (s.order_items::text[]), false) as is_in_parcel
        from jsonb_array_elements(o.items::jsonb) with ordinality e (item, place)) i
) p on s.order_items is not null
where s.business_id = $1 and s.guid = $2 and s.deleted_at is null
