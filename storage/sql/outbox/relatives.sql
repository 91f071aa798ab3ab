-- Returns the relatives of a batch of records in one round trip: customers, carriers and the shipments of
-- orders.
-- $1 businesses_of_customers uuid[], $2 customers uuid[], $3 businesses_of_carriers uuid[],
-- $4 carriers uuid[], $5 businesses_of_orders uuid[], $6 orders uuid[]
-- -> kind int, business_id uuid, guid uuid, related uuid or null, name text or null, extra text or null
select 0 as kind, c.business_id, c.guid, null::uuid as related, c.name, c.email as extra
from unnest($1::uuid[], $2::uuid[]) w (business_id, guid)
join customers c on c.business_id = w.business_id and c.guid = w.guid
union all
select 1, w.business_id, c.guid, null, c.name, null
from unnest($3::uuid[], $4::uuid[]) w (business_id, guid)
join carriers c on c.business_id in (w.business_id, catalogue_business()) and c.guid = w.guid
union all
select 2, s.business_id, s.order_id, s.guid, s.tracking_number, s.status
from (select w.business_id, s.order_id, s.guid, s.tracking_number, s.status, s.created_at
      from unnest($5::uuid[], $6::uuid[]) w (business_id, guid)
      join shipments s on s.business_id = w.business_id and s.order_id = w.guid and s.deleted_at is null
      order by s.created_at, s.guid) s
