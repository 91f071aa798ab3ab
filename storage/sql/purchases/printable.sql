-- Returns where the labels of shipments come from, in any order; shipments that do not exist are left out. The connector
-- is that of the shipment's carrier. A purchase is the open or bought one, or else the last.
-- $1 business uuid, $2 shipments uuid[]
-- -> shipment uuid, connector text, purchase uuid or null, status text or null, format text or null,
-- label_size bigint or null, is_erased boolean, is_test boolean
select s.guid as shipment, coalesce(c.connector, 'manual') as connector, p.guid as purchase, p.status,
       coalesce(l.format, p.format) as format, octet_length(l.bytes)::bigint as label_size,
       p.erased_at is not null as is_erased, coalesce(p.test_mode, false) as is_test
from shipments s
left join carrier_configurations c on c.business_id = s.business_id and c.carrier_id = s.carrier_id and c.is_active
left join lateral (
  select * from purchases p where p.business_id = s.business_id and p.shipment_id = s.guid and p.stray_of is null
  order by p.attempt desc limit 1
) p on true
left join purchase_labels l on l.business_id = p.business_id and l.purchase_id = p.guid
where s.business_id = $1::uuid and s.guid = any ($2::uuid[]) and s.deleted_at is null
