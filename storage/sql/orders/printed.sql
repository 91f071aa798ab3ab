-- Returns what packing slips and pick lists show of orders, and the sender of the business. Orders after those that together have a
-- number of items, or of bytes in items and notes, have neither. Those that do not exist, or are deleted, are left out.
-- $1 business uuid, $2 orders uuid[], $3 most_items bigint, $4 most_bytes bigint
-- -> order_id uuid, place bigint, order_number text, reference text or null, notes text or null, items text or null,
-- recipient_name text or null, recipient_company text or null, recipient_street text or null, recipient_city text or null,
-- recipient_state text or null, recipient_postal_code text or null, recipient_country text or null, recipient_phone text or null,
-- sender_name text, brand_color text or null, street text or null, city text or null, state text or null,
-- postal_code text or null, country text or null, phone text or null
select o.guid as order_id, o.place, o.order_number, o.external_reference as reference,
       case when o.fits then o.notes end as notes, case when o.fits then o.items::text end as items,
       coalesce(o.delivery_name, c.name) as recipient_name, o.delivery_company as recipient_company, o.delivery_street as recipient_street,
       o.delivery_city as recipient_city, o.delivery_state as recipient_state, o.delivery_postal_code as recipient_postal_code,
       o.delivery_country as recipient_country, o.delivery_phone as recipient_phone,
       coalesce(b.sender_name, b.name) as sender_name, b.brand_color, b.street, b.city, b.state, b.postal_code, b.country, b.phone
from (select r.*, w.place,
             sum(case json_typeof(r.items) when 'array' then json_array_length(r.items) else 0 end) over (order by w.place) <= $3::bigint
               and sum(octet_length(r.items::text) + coalesce(octet_length(r.notes), 0)) over (order by w.place) <= $4::bigint as fits
      from unnest($2::uuid[]) with ordinality w (guid, place)
      join orders r on r.business_id = $1::uuid and r.guid = w.guid and r.deleted_at is null) o
join businesses b on b.guid = o.business_id
left join customers c on c.business_id = o.business_id and c.guid = o.customer_id
order by o.place
