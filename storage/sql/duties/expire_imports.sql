-- Deletes old runs of imports, webhook deliveries of stores and carriers after a week, when no sender repeats them any more,
-- and stale reservations of tracking notices, at most a number of each. Returns the largest number.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old_calls as materialized (
  select business_id, integration_id, delivery_id from inbound_deliveries
  where received_at < now() - interval '7 days' order by received_at limit $2::bigint
), calls as (
  delete from inbound_deliveries d using old_calls o
  where d.business_id = o.business_id and d.integration_id = o.integration_id and d.delivery_id = o.delivery_id
  returning 1
), old_deliveries as materialized (
  select business_id, carrier_id, delivery_id from carrier_deliveries
  where received_at < now() - interval '7 days' order by received_at limit $2::bigint
), deliveries as (
  delete from carrier_deliveries d using old_deliveries o
  where d.business_id = o.business_id and d.carrier_id = o.carrier_id and d.delivery_id = o.delivery_id
  returning 1
), old_pushes as materialized (
  select business_id, integration_id, external_id from tracking_pushes
  where held_until < now() - interval '1 day' limit $2::bigint
), pushes as (
  delete from tracking_pushes p using old_pushes o
  where p.business_id = o.business_id and p.integration_id = o.integration_id and p.external_id = o.external_id
    and p.held_until < now() - interval '1 day'
  returning 1
), old_imports as materialized (
  select business_id, guid from integration_runs
  where started_at < now() - make_interval(days => $1::integer) order by started_at limit $2::bigint
), imports as (
  delete from integration_runs r using old_imports o where r.business_id = o.business_id and r.guid = o.guid returning 1
)
select greatest((select count(*) from calls), (select count(*) from deliveries), (select count(*) from pushes),
                (select count(*) from imports)) as expired
