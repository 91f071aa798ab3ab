-- Returns the relatives of a batch of records in one round trip: customers, carriers, the shipments of
-- orders, integrations, and the tokens of shipments' tracking pages.
-- $1 businesses_of_customers uuid[], $2 customers uuid[], $3 businesses_of_carriers uuid[],
-- $4 carriers uuid[], $5 businesses_of_orders uuid[], $6 orders uuid[], $7 businesses_of_integrations uuid[],
-- $8 integrations uuid[], $9 businesses_of_pages uuid[], $10 pages uuid[] (shipments),
-- $11 pages_of_orders boolean (the shipments of orders have their tokens)
-- -> kind int, business_id uuid, guid uuid, related uuid or null, name text or null, extra text or null,
-- more text or null, label_status text or null
select 0 as kind, c.business_id, c.guid, null::uuid as related, shown_text(c.name) as name, shown_text(c.email) as extra, shown_text(c.phone) as more,
       null as label_status
from unnest($1::uuid[], $2::uuid[]) w (business_id, guid)
join customers c on c.business_id = w.business_id and c.guid = w.guid
union all
select 1, w.business_id, c.guid, null, shown_text(c.name), shown_text(c.tracking_url_pattern), null, null
from unnest($3::uuid[], $4::uuid[]) w (business_id, guid)
join carriers c on c.business_id in (w.business_id, catalogue_business()) and c.guid = w.guid
union all
select 2, s.business_id, s.order_id, s.guid, shown_text(s.tracking_number), s.status,
       case when $11::boolean then (select replace(t.token::text, '-', '') from tracking_tokens t
                                    where t.business_id = s.business_id and t.shipment_id = s.guid) end,
       s.label_status
from (select w.business_id, s.order_id, s.guid, s.tracking_number, s.status, s.label_status, s.created_at
      from unnest($5::uuid[], $6::uuid[]) w (business_id, guid)
      join shipments s on s.business_id = w.business_id and s.order_id = w.guid and s.deleted_at is null
      order by s.created_at, s.guid) s
union all
select 3, i.business_id, i.guid, null, shown_text(store_name(i)), i.provider, null, null
from unnest($7::uuid[], $8::uuid[]) w (business_id, guid)
join integrations i on i.business_id = w.business_id and i.guid = w.guid
union all
select 4, t.business_id, t.shipment_id, null, replace(t.token::text, '-', ''), null, null, null
from unnest($9::uuid[], $10::uuid[]) w (business_id, guid)
join tracking_tokens t on t.business_id = w.business_id and t.shipment_id = w.guid
