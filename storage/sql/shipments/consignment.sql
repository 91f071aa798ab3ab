-- Returns what a carrier has to know of a shipment, and the gateway's connection of its carrier. A sender without
-- a street is the business. Packages have the units of the business's products. `goods` are the items of its order that are in
-- the parcel, each with what its product says for customs.
-- $1 business uuid, $2 shipment uuid
-- -> status text, carrier_id uuid or null, carrier_tracking_number text or null, packages jsonb, weight_unit text,
-- size_unit text, sender_name text or null, sender_company text or null, sender_phone text or null,
-- sender_email text or null, sender_street text or null, sender_city text or null, sender_state text or null,
-- sender_postal_code text or null, sender_country text or null, recipient_name text or null,
-- recipient_company text or null, recipient_phone text or null, recipient_email text or null,
-- recipient_street text or null, recipient_city text or null, recipient_state text or null,
-- recipient_postal_code text or null, recipient_country text or null, home text or null, customs jsonb or null,
-- is_return boolean, goods jsonb or null, order_currency text or null, home_currency text
select r.status, r.carrier_id, r.carrier_tracking_number, r.packages, coalesce(s.default_weight_unit, 'kg') as weight_unit,
       coalesce(s.default_unit, 'cm') as size_unit,
       case when own then r.sender_name else b.name end as sender_name,
       case when own then r.sender_company else b.name end as sender_company,
       case when own then coalesce(r.sender_phone, b.phone) else b.phone end as sender_phone,
       b.email as sender_email,
       case when own then r.sender_street else b.street end as sender_street,
       case when own then r.sender_city else b.city end as sender_city,
       case when own then r.sender_state else b.state end as sender_state,
       case when own then r.sender_postal_code else b.postal_code end as sender_postal_code,
       case when own then r.sender_country else b.country end as sender_country,
       r.recipient_name, r.recipient_company, r.recipient_phone, r.recipient_email, r.recipient_street, r.recipient_city,
       r.recipient_state, r.recipient_postal_code, r.recipient_country, b.country as home, r.customs,
       sent_back(r) as is_return, g.goods, o.currency as order_currency, b.currency as home_currency
from shipments r
join businesses b on b.guid = r.business_id
left join product_settings s on s.business_id = r.business_id
left join orders o on o.business_id = r.business_id and o.guid = r.order_id
cross join lateral (select r.sender_street is not null as own) w
cross join lateral (
  select jsonb_agg(jsonb_build_object(
           'item', i.item,
           'product', (select jsonb_build_object('weight', coalesce(
                                                   (select number_in(v, 'weight') from jsonb_array_elements(p.variants) v
                                                    where v ->> 'sku' = i.item ->> 'sku' limit 1), p.weight),
                                                 'hsCode', p.hs_code, 'originCountry', p.origin_country,
                                                 'customsValue', p.customs_value)
                       from products p
                       where p.business_id = r.business_id and p.deleted_at is null
                         and p.guid = case when i.item ->> 'productId' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                                        then (i.item ->> 'productId')::uuid end))
         order by i.place) as goods
  from jsonb_array_elements(o.items::jsonb) with ordinality i (item, place)
  where r.order_items is null or lower(i.item ->> 'guid') = any (r.order_items::text[])
) g
where r.business_id = $1::uuid and r.guid = $2::uuid and r.deleted_at is null
