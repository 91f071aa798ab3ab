-- Replaces the values of a locked order. An import keeps its total; that of another order follows its items. Writes
-- nothing if nothing changes.
-- $1 business uuid, $2 order uuid, $3 number text, $4 has_customer boolean, $5 customer uuid or null,
-- $6 customer_name text or null, $7 customer_email text or null, $8 customer_phone text or null,
-- $9 items json or null (null: unchanged), $10 street text or null, $11 city text or null,
-- $12 state text or null, $13 postal_code text or null, $14 country text or null, $15 carrier uuid or null,
-- $16 service_level text or null, $17 currency text, $18 collection_date timestamptz or null,
-- $19 window_start text or null, $20 window_end text or null, $21 notes text or null,
-- $22 delivery_name text or null, $23 delivery_company text or null, $24 delivery_phone text or null,
-- $25 delivery_email text or null, $26 shipping_method text or null, $27 shipping_cost numeric or null,
-- $28 external_reference text or null, $29 tags jsonb or null, $30 metadata jsonb or null
update orders r
set customer_id = n.customer_id, order_number = $3, items = n.items,
    total_value = case when r.integration_id is not null or not n.has_other_items then r.total_value
                       else items_value(n.items) end,
    delivery_street = $10, delivery_city = $11, delivery_state = $12, delivery_postal_code = $13,
    delivery_country = $14, carrier_id = $15, service_level = $16, currency = $17, collection_date = $18,
    collection_start = $19, collection_end = $20, notes = $21, delivery_name = $22, delivery_company = $23,
    delivery_phone = $24, delivery_email = $25, shipping_method = $26, shipping_cost = $27, external_reference = $28,
    tags = $29, metadata = $30
from (select o.guid, coalesce($9, o.items) as items,
             $9::json is not null and o.items::jsonb <> $9::jsonb as has_other_items,
             case when $4 then coalesce($5, find_or_add_customer($1, $6, $7, $8)) end as customer_id
      from orders o where o.business_id = $1 and o.guid = $2) n
where r.business_id = $1 and r.guid = n.guid
  and (n.has_other_items or (r.customer_id, r.order_number, r.delivery_street, r.delivery_city, r.delivery_state,
       r.delivery_postal_code, r.delivery_country, r.carrier_id, r.service_level, r.currency, r.collection_date,
       r.collection_start, r.collection_end, r.notes, r.delivery_name, r.delivery_company, r.delivery_phone,
       r.delivery_email, r.shipping_method, r.shipping_cost, r.external_reference, r.tags, r.metadata)
      is distinct from (n.customer_id, $3, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
                        $23, $24, $25, $26, $27, $28, $29, $30))
