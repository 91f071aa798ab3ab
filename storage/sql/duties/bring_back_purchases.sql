-- Makes purchases due when they should be, if a wrong clock has stored a later time, ends such leases, and dates their beginnings
-- at the present. A missing label and a void wait for six hours at most, other purchases for an hour, and a postponement ends
-- after a minute. A step that is due too early does no harm: it looks up first. Returns the number of purchases.
-- $1 lease interval
-- -> moved bigint, ...
with far as materialized (
  select p.business_id, p.guid, p.next_at, p.lease_until,
         p.lease_until > now() + $1::interval + interval '1 minute' as is_leased_late,
         p.claim_at > greatest(p.next_at, p.lease_until, now() + interval '1 minute') + interval '1 minute' as is_postponed_late,
         p.next_at > now() + case when p.status in ('bought', 'voiding') then interval '6 hours' else interval '1 hour' end
                       + interval '1 minute'
           or greatest(p.requested_at, p.unknown_since, p.resolved_at, p.void_begun_at) > now() + interval '1 minute' as is_late
  from shards s
  join purchases p on p.shard = s.shard and p.claim_at > now() + interval '1 minute'
  for update of p skip locked
), late as (
  select f.business_id, f.guid, case when f.is_late then now() else f.next_at end as next_at,
         case when f.lease_until > now() + $1::interval then now() + $1::interval else f.lease_until end as lease_until
  from far f where f.is_late or f.is_leased_late or f.is_postponed_late
), moved as (
  update purchases p
  set next_at = l.next_at, lease_until = l.lease_until, claim_at = greatest(l.next_at, l.lease_until),
      requested_at = least(p.requested_at, now()),
      unknown_since = case when p.unknown_since > now() then now() else p.unknown_since end,
      resolved_at = case when p.resolved_at > now() then now() else p.resolved_at end,
      void_begun_at = case when p.void_begun_at > now() then now() else p.void_begun_at end
  from late l where p.business_id = l.business_id and p.guid = l.guid
  returning 1
), freed as (
  update purchases p set lease_until = now() + $1::interval
  where p.lease_owner is not null and p.lease_until > now() + $1::interval + interval '1 minute' and p.claim_at is null
  returning 1
)
select (select count(*) from moved) + (select count(*) from freed) as moved,
       case when exists (select from moved) then pg_notify('waybill_purchases', '') end
