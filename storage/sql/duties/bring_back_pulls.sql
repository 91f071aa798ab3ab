-- Makes pulls, their lanes and paused accounts due when they should be, if a wrong clock has stored later times. A pull that was
-- asked in the future was asked now, and one that a gateway has called for in the future is due now. No pull waits for longer
-- than six hours, no lane for longer than ten minutes, no account for longer than an hour, and no lease lasts longer than two
-- minutes. Returns the number of rows.
-- -> moved bigint
with far as materialized (
  select p.business_id, p.shipment_id, p.number from tracking_pulls p
  where p.due_at > now() + interval '6 hours 1 minute' or greatest(p.asked_at, p.hinted_at) > now() + interval '1 minute'
  for update skip locked
), pulls as (
  update tracking_pulls p
  set due_at = least(p.due_at, now() + case when p.hinted_at > now() then interval '0'
                                            when p.asked_at > now() then least(p.due_at - p.asked_at, interval '6 hours')
                                            else random() * interval '2 hours' end),  -- as the first pulls of a sweep
      asked_at = case when p.asked_at > now() then now() else p.asked_at end,
      hinted_at = case when p.hinted_at > now() then now() else p.hinted_at end
  from far f where p.business_id = f.business_id and p.shipment_id = f.shipment_id and p.number = f.number
  returning 1
), lanes as (
  update tracking_lanes l
  set look_at = case when l.look_at > now() + interval '10 minutes' then now() else l.look_at end,
      swept_at = case when l.swept_at > now() then now() else l.swept_at end,
      lease_until = case when l.lease_until > now() + interval '2 minutes' then now() + interval '2 minutes' else l.lease_until end
  where l.look_at > now() + interval '11 minutes' or l.swept_at > now() + interval '1 minute'
     or l.lease_until > now() + interval '3 minutes'
  returning 1
), accounts as (
  update carrier_configurations set tracking_paused_until = now()
  where tracking_paused_until > now() + interval '1 hour 1 minute' returning 1
)
select (select count(*) from pulls) + (select count(*) from lanes) + (select count(*) from accounts) as moved
