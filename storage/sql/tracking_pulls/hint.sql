-- Makes the shipments with a number due at once, or a minute after their last pull, gives their lane a turn, and wakes the
-- workers. Nothing if the carrier's scans do not come by themselves or no shipment of the carrier has the number: also as that
-- of a further package. A shipment that is returned or cancelled moves no more.
-- $1 business uuid, $2 carrier uuid, $3 number text
with account as materialized (
  select g.connector from carrier_configurations g
  where g.business_id = $1::uuid and g.carrier_id = $2::uuid and g.is_active and g.tracking_sync and g.connector <> 'manual'
  for key share  -- the deletion of the business waits, so that it sees the pulls
), named as materialized (
  select s.guid, s.number from account a
  cross join lateral (
    select r.guid, r.carrier_tracking_number as number from shipments r
    where r.business_id = $1::uuid and lower(r.carrier_tracking_number) = lower($3::text)
      and r.carrier_tracking_number is not null and r.deleted_at is null
    union
    select p.shipment_id, t.number from purchases p cross join unnest(p.tracking_numbers) t (number)
    where p.business_id = $1::uuid and p.status in ('bought', 'voiding')
      and p.tracking_numbers && array[$3::text, upper($3::text), lower($3::text)] and lower(t.number) = lower($3::text)
  ) s
  limit 20
), hinted as (
  insert into tracking_pulls as p (business_id, shipment_id, number, carrier_id, due_at, hinted_at)
  select $1::uuid, n.guid, n.number, $2::uuid, statement_timestamp(), statement_timestamp()
  from named n
  join shipments r on r.business_id = $1::uuid and r.guid = n.guid and r.deleted_at is null
    and r.carrier_id = $2::uuid and r.status not in ('returned', 'cancelled')
  on conflict (business_id, shipment_id, number) do update
  set hinted_at = excluded.hinted_at,
      due_at = least(p.due_at, greatest(excluded.due_at, p.asked_at + interval '1 minute'))
  returning due_at
)
insert into tracking_lanes as l (business_id, connector, is_hinted)
select $1::uuid, a.connector, true from account a where exists (select from hinted)
on conflict (business_id, connector) do update
set is_hinted = true,
    look_at = least(l.look_at, (select min(h.due_at) from hinted h))
returning pg_notify('waybill_pulls', '') as notified
