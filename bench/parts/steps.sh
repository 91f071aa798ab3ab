# The rate of steps: 2 000 orders change in one transaction, and each causes ten webhooks, first as ten workflows, then as the
# ten steps of one. Then ten steps with an answer and a choice among them.
changed=2000
conditions='{"status": "processing"}'

# Records the rate of steps until all runs have ended. rate_of NAME RUNS
rate_of() {
  local ended finished started
  reset_orders
  sql -c 'vacuum analyze orders' -c checkpoint
  ended=$(sql -c 'select count(*) from runs')
  started=$(moment_of "select true")
  sql -c "update orders set status = 'processing' where business_id = '$business' and guid in (
    select guid from orders where business_id = '$business' order by guid limit $changed)"
  moment_of "$no_pending_events" >/dev/null
  finished=$(moment_of "$no_queued_runs")
  [ "$(sql -c 'select count(*) from runs')" = $((ended + $2)) ] || die 'a run is missing'
  record "$1" "$(per_second $((10 * changed)) "$started" "$finished")"
}

switch_off_workflows
start_receiver
start_waybill up
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  for ((i = 0; i < 10; ++i)); do make_workflow "single $i" "$conditions" >/dev/null; done
  rate_of singles $((10 * changed))
  switch_off_workflows
  make_steps "$conditions" >/dev/null
  rate_of steps $changed
  switch_off_workflows
  make_choices "$conditions" >/dev/null
  rate_of choices $changed
  switch_off_workflows
done
reset_orders
stop_waybill
stop "$receiver_pid"
