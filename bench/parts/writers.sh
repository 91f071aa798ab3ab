# Commits a second of 32 writers that update orders, with and without the event triggers.
seconds=${BENCH_SECONDS:-5}

writers() { # NAME
  sql -c 'vacuum analyze orders, pending_events' -c checkpoint
  record "$1" "$(transactions -c 32 -f "$bench/sql/writers.sql")"
}

settle() {
  until [ "$(sql -c 'select count(*) from pending_events')" = 0 ]; do sleep 0.2; done
}

switch() { # WORKFLOW true|false
  sql -c "update workflows set is_active = $2, active_since = now() where guid = '$1'"
}

switch_off_workflows
start_receiver
start_waybill up
make_workflow matched '{"totalValue": {"lt": 0}}' >/dev/null
sent=$(make_workflow sent '{"totalValue": {"gte": 0}}')
switch "$sent" false
stop_waybill
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  sql -c 'alter table orders disable trigger event_update'
  writers without
  sql -c 'alter table orders enable trigger event_update'
  writers with
  # The backlog must not affect the next measurement.
  start_waybill worker
  settle
  writers worker
  settle
  switch "$sent" true
  writers sending
  settle
  switch "$sent" false
  stop_waybill
done
stop "$receiver_pid"
