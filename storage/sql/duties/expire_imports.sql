-- Runs of imports older than $1 days, and calls of stores' webhooks after a week, when no store repeats them any more.
with calls as (
  delete from inbound_deliveries where received_at < now() - interval '7 days'
)
delete from integration_runs where started_at < now() - make_interval(days => $1)
