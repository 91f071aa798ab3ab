-- Leases lanes whose turn has come to a worker, those that have waited longest first, and says which must be swept.
-- Suspended businesses have no turn.
-- $1 worker uuid, $2 connectors text[], $3 limit bigint, $4 lease interval, $5 sweep interval
-- -> business_id uuid, connector text, must_sweep boolean
with due as materialized (
  select l.business_id, l.connector from tracking_lanes l
  join businesses o on o.guid = l.business_id and o.suspended_at is null
  where l.look_at <= statement_timestamp() and l.connector = any ($2::text[])
    and (l.lease_until is null or l.lease_until <= statement_timestamp())
  order by l.look_at limit $3::bigint
  for update of l skip locked
)
update tracking_lanes l
set lease_owner = $1::uuid, lease_until = statement_timestamp() + $4::interval, is_hinted = false
from due d where l.business_id = d.business_id and l.connector = d.connector
returning l.business_id, l.connector,
          l.swept_at is null or l.swept_at <= statement_timestamp() - $5::interval as must_sweep
