-- Returns for each scan of a locked shipment, in order, the time of the shipment's last move, whether the scan
-- is known by its external id, and the present time. An earlier statement has locked the shipments, so that
-- this one sees what other transactions have stored.
-- $1 business uuid, $2 shipments uuid[], $3 external_ids text[]
-- -> moved_at timestamptz or null, is_known boolean, now timestamptz
with given as materialized (
  select e.* from unnest($2::uuid[], $3::text[]) with ordinality e (shipment, external_id, scan)
), moved as materialized (
  select s.shipment, max(t.at) as at
  from (select distinct g.shipment from given g) s
  cross join lateral (select m.at from shipment_traces m
                      where m.business_id = $1::uuid and m.shipment_id = s.shipment and m.is_move
                      offset 0) t
  group by s.shipment
)
select m.at as moved_at,
       exists (select from shipment_traces t
               where t.business_id = $1::uuid and t.shipment_id = e.shipment and t.external_id = e.external_id) as is_known,
       clock_timestamp()::timestamptz(3) as now
from given e
left join moved m on m.shipment = e.shipment
order by e.scan
