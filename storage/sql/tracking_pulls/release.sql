-- Ends a turn. The next one is when the first pull of the lane is due, or the next sweep, but not before a pause; at once if a
-- gateway has called during this turn, whose row the statement may not see. Without an account of the business the lane goes.
-- $1 business uuid, $2 connector text, $3 worker uuid, $4 was_swept boolean, $5 pause interval, $6 sweep interval
with accounts as materialized (
  select g.carrier_id, g.tracking_paused_until from carrier_configurations g
  where g.business_id = $1::uuid and g.connector = $2::text and g.is_active and g.tracking_sync
), next_pull as (
  select min(greatest(d.due_at, a.tracking_paused_until)) as at from accounts a
  cross join lateral (select p.due_at from tracking_pulls p
                      where p.business_id = $1::uuid and p.carrier_id = a.carrier_id order by p.due_at limit 1) d
), gone as (
  delete from tracking_lanes l
  where l.business_id = $1::uuid and l.connector = $2::text and l.lease_owner = $3::uuid
    and not exists (select from accounts)
)
update tracking_lanes l
set lease_owner = null, lease_until = null,
    swept_at = case when $4::boolean then statement_timestamp() else l.swept_at end,
    look_at = greatest(statement_timestamp() + $5::interval,
                       case when l.is_hinted then statement_timestamp()
                            else least((case when $4::boolean then statement_timestamp()
                                             else coalesce(l.swept_at, statement_timestamp()) end) + $6::interval, n.at) end)
from next_pull n
where l.business_id = $1::uuid and l.connector = $2::text and l.lease_owner = $3::uuid
  and exists (select from accounts)
