-- Deletes old runs of imports, webhook deliveries of stores and carriers after a week, when no sender repeats
-- them any more, and stale reservations of tracking notices.
-- $1 retention_days int
with calls as (
  delete from inbound_deliveries where received_at < now() - interval '7 days'
), deliveries as (
  delete from carrier_deliveries where received_at < now() - interval '7 days'
), pushes as (
  delete from tracking_pushes where held_until < now() - interval '1 day'
)
delete from integration_runs where started_at < now() - make_interval(days => $1)
