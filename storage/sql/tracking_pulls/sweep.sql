-- Adds the pulls of shipments on their way that have none yet, one for each number of the shipment, its packages and its label,
-- and removes those of carriers that are asked no more. The first pulls are spread over the usual pause, so that the old
-- shipments of a new account do not come all at once. The search is a grouping, because a join could have a plan from a time
-- when the table had no rows.
-- $1 business uuid, $2 connector text, $3 longest_silence interval, $4 pause_underway interval,
-- $5 pause_unscanned interval
-- -> added bigint
with accounts as materialized (
  select g.carrier_id from carrier_configurations g
  where g.business_id = $1::uuid and g.connector = $2::text and g.is_active and g.tracking_sync
  for key share  -- the deletion of the business waits, so that it sees the pulls
), dropped as (
  delete from tracking_pulls p
  where p.business_id = $1::uuid
    and not exists (select from carrier_configurations g
                    where g.business_id = $1::uuid and g.carrier_id = p.carrier_id and g.is_active and g.tracking_sync
                      and g.connector <> 'manual')
), underway as (
  select r.guid, r.carrier_id, r.status, n.number
  from shipments r
  join accounts a on a.carrier_id = r.carrier_id
  cross join lateral (
    select r.carrier_tracking_number as number
    union
    select k.package ->> 'carrierTrackingNumber' from jsonb_array_elements(r.packages) k (package)
    where jsonb_typeof(k.package) = 'object'
    union
    select l.number from purchases o cross join unnest(o.tracking_numbers) l (number)
    where r.label_status in ('bought', 'voiding') and o.business_id = $1::uuid and o.shipment_id = r.guid
      and o.stray_of is null and o.status in ('bought', 'voiding')) n
  where r.business_id = $1::uuid and r.deleted_at is null
    and r.status in ('created', 'collected', 'in_transit', 'out_for_delivery', 'exception')
    and greatest(r.created_at, r.status_changed_at, r.last_trace_at) > statement_timestamp() - $3::interval
    and n.number <> ''
), missing as (
  select e.guid, e.number, e.carrier_id, max(e.status) as status
  from (select u.guid, u.number, u.carrier_id, u.status from underway u
        union all
        select p.shipment_id, p.number, p.carrier_id, null from tracking_pulls p where p.business_id = $1::uuid) e
  group by e.guid, e.number, e.carrier_id having count(*) = count(e.status)
), added as (
  insert into tracking_pulls (business_id, shipment_id, number, carrier_id, due_at)
  select $1::uuid, m.guid, m.number, m.carrier_id,
         statement_timestamp() + (case when m.status = 'created' then $5::interval else $4::interval end)
           * (('x' || left(md5(m.guid::text || m.number), 6))::bit(24)::integer / 16777216.0)
  from missing m
  on conflict (business_id, shipment_id, number) do update set carrier_id = excluded.carrier_id, failures = 0
  returning 1
)
select count(*) as added from added
