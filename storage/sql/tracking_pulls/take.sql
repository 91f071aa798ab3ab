-- Returns the due pulls of a lane, those of which a gateway has called first, then by their due times, with the facts of their
-- shipments (null for a deleted one, and for one that no longer has the number). Accounts that pause have none.
-- $1 business uuid, $2 connector text, $3 limit bigint
-- -> shipment_id uuid, number text, carrier_id uuid, is_hinted boolean, failures int, account_failures int,
-- is_failing boolean, taken_at timestamptz, status text or null, created_at timestamptz or null,
-- status_changed_at timestamptz or null, last_trace_at timestamptz or null
select p.shipment_id, p.number, p.carrier_id, p.is_hinted, p.failures, p.account_failures, p.is_failing,
       statement_timestamp() as taken_at, r.status, r.created_at, r.status_changed_at, r.last_trace_at
from (
  select d.*, g.tracking_failures as account_failures, coalesce(g.connection_status = 'failing', false) as is_failing
  from carrier_configurations g
  cross join lateral (
    (select h.shipment_id, h.number, h.carrier_id, h.due_at, h.failures, true as is_hinted from tracking_pulls h
     where h.business_id = $1::uuid and h.carrier_id = g.carrier_id and h.hinted_at is not null
       and h.due_at <= statement_timestamp()
     order by h.due_at limit $3::bigint)
    union all
    (select n.shipment_id, n.number, n.carrier_id, n.due_at, n.failures, false from tracking_pulls n
     where n.business_id = $1::uuid and n.carrier_id = g.carrier_id and n.hinted_at is null
       and n.due_at <= statement_timestamp()
     order by n.due_at limit $3::bigint)) d
  where g.business_id = $1::uuid and g.connector = $2::text and g.is_active and g.tracking_sync
    and (g.tracking_paused_until is null or g.tracking_paused_until <= statement_timestamp())
  order by d.is_hinted desc, d.due_at limit $3::bigint
) p
left join shipments r on r.business_id = $1::uuid and r.guid = p.shipment_id and r.deleted_at is null
  and r.carrier_id = p.carrier_id
  and (r.carrier_tracking_number = p.number
       or r.packages @> jsonb_build_array(jsonb_build_object('carrierTrackingNumber', p.number))
       or exists (select from purchases o
                  where o.business_id = $1::uuid and o.shipment_id = r.guid and o.stray_of is null
                    and o.status in ('bought', 'voiding') and p.number = any (o.tracking_numbers)))
order by p.is_hinted desc, p.due_at
