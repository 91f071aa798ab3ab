-- Returns of a locked shipment the scans that gateways have told, its moves and its first trace, in the order in which they
-- were stored, each with the shipment's times.
-- $1 business uuid, $2 shipment uuid, $3 external_ids text[] (of the list)
-- -> external_id text or null, status text, at timestamptz, is_move boolean, read_at timestamptz or null,
-- tells_status boolean or null, is_told boolean (a gateway's), delivered_at timestamptz or null,
-- changed_at timestamptz or null
select t.external_id, t.status, t.at, t.is_move, t.read_at, t.tells_status,
       t.read_at is not null or coalesce(t.external_id = any ($3::text[]), false) as is_told, s.delivered_at,
       s.status_changed_at as changed_at
from shipments s
join shipment_traces t on t.business_id = s.business_id and t.shipment_id = s.guid
where s.business_id = $1::uuid and s.guid = $2::uuid
  and (t.is_move or t.read_at is not null or t.external_id = any ($3::text[])
       or t.id = (select min(f.id) from shipment_traces f where f.business_id = $1::uuid and f.shipment_id = $2::uuid))
order by t.id
