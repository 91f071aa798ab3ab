-- Adds to the counts of firings, of matched events and of scans of the current hour. Those of deleted businesses are left out;
-- the locks make a deletion wait, so that it sees the rows.
-- $1 businesses uuid[], $2 workflows uuid[], $3 counts bigint[], $4 held bigint[] (firings of paused workflows),
-- $5 event_businesses uuid[], $6 orders bigint[], $7 shipments bigint[], $8 customers bigint[], $9 products bigint[],
-- $10 scan_businesses uuid[], $11 carriers uuid[], $12 scans bigint[]
with existing as materialized (
  select guid from businesses
  where guid in (select unnest($1::uuid[]) union all select unnest($5::uuid[]) union all select unnest($10::uuid[]))
  for key share
), matched as (
  insert into matched_events (business_id, hour, orders, shipments, customers, products)
  select e.business_id, date_trunc('hour', now()), e.orders, e.shipments, e.customers, e.products
  from unnest($5::uuid[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
    e (business_id, orders, shipments, customers, products)
  join existing b on b.guid = e.business_id
  order by e.business_id
  on conflict (business_id, hour) do update
  set orders = matched_events.orders + excluded.orders, shipments = matched_events.shipments + excluded.shipments,
      customers = matched_events.customers + excluded.customers, products = matched_events.products + excluded.products
), scanned as (
  insert into source_counts (business_id, kind, source_id, hour, count, last_at)
  select s.business_id, 'scans', s.carrier, date_trunc('hour', now()), s.count, now()
  from unnest($10::uuid[], $11::uuid[], $12::bigint[]) s (business_id, carrier, count)
  join existing b on b.guid = s.business_id
  order by s.business_id, s.carrier
  on conflict (business_id, kind, source_id, hour) do update
  set count = source_counts.count + excluded.count, last_at = excluded.last_at
)
insert into workflow_firings (business_id, workflow_id, hour, count, held, last_at)
select a.business_id, a.workflow_id, date_trunc('hour', now()), a.count, a.held, now()
from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[]) a (business_id, workflow_id, count, held)
join existing b on b.guid = a.business_id
order by a.business_id, a.workflow_id
on conflict (business_id, workflow_id, hour) do update
set count = workflow_firings.count + excluded.count, held = workflow_firings.held + excluded.held,
    last_at = excluded.last_at
