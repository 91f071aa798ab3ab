# Work that passes the recorder before a webhook or a change: ordered workflows, and changes of records by workflows.
latency_changes=500
pause_us=5000
moves=20000

# Creates a workflow that is not active and prints its guid. make_inactive NAME WORKFLOW
make_inactive() {
  api_call POST /api/workflows/configure "$(jq -n --arg name "$1" --arg trigger "$(trigger_guid order_status_changed)" --argjson more "$2" \
    '{name: $name, entityType: "Order", triggerId: $trigger, isActive: false} + $more')" | jq -r .data.guid
}

# Lets only this workflow be active, from now on.
activate() { # WORKFLOW
  switch_off_workflows
  switch "$1" true
}

# Changes three orders 4 000 times, with eight writers, and waits until their runs are recorded.
chains() { # NAME
  local started
  started=$(moment_of 'select true')
  "$pg_bin/pgbench" -n -M prepared -c 8 -j 2 -t 500 -D business="$business" -f <(sed 's/100000)/3)/' "$bench/sql/writers.sql") >/dev/null 2>&1
  moment_of "$no_pending_events" >/dev/null
  record "$1" "$(per_second 4000 "$started" "$(moment_of "$no_queued_runs")")"
}

# One statement moves the orders; the workflow moves each of them back, in the transaction that records its run.
move_back() {
  sql -c 'vacuum analyze orders, pending_events' -c checkpoint
  local started finished of_moves="business_id = '$business' and guid <= '00000000-0000-4000-8000-1000000$moves'"
  started=$(echo "update orders set status = 'processing' where $of_moves" | "$build/bench_load" sql | cut -d' ' -f2)
  finished=$(moment_of "$no_pending_events")
  [ "$(sql -c "select count(*) from orders where $of_moves and status = 'pending'")" = "$moves" ] || die 'an order was not moved back'
  record moves "$(per_second "$moves" "$started" "$finished")"
}

# The same changes by plain SQL: one session, a statement for each order, transactions of a hundred.
plain_moves() {
  { echo 'begin;'; for ((n = 0; n < 100; ++n)); do cat "$bench/sql/writers.sql"; done; echo 'commit;'; } >"$work/moves.pgbench"
  "$pg_bin/pgbench" -n -M prepared -c 1 -t $((moves / 100)) -D business="$business" -f "$work/moves.pgbench" 2>/dev/null |
    awk '/^tps/ { printf "%.0f", $3 * 100 }'
}

switch_off_workflows
start_receiver
start_waybill up
webhook='{"action": {"type": "webhook", "recipient": "http://127.0.0.1:'$receiver'/hook"}}'
plain=$(make_inactive plain "$webhook")
ordered=$(make_inactive ordered "$(jq -c '. + {ordered: true}' <<<"$webhook")")
back=$(make_inactive back '{"conditions": {"status": "processing"}, "action": {"type": "update_status", "recipient": "", "status": "pending"}}')
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  reset_orders
  activate "$plain"
  statement_latency plain $latency_changes $pause_us "$(alternating_change)"
  activate "$ordered"
  statement_latency ordered $latency_changes $pause_us "$(alternating_change)"
  chains chains
  PGAPPNAME=open psql -qAtX -c "begin; insert into products (business_id, name, sku) values ('$business', 'open', gen_random_uuid())" \
    -c 'select pg_sleep(600)' >/dev/null 2>&1 &
  moment_of "select exists (select from pg_stat_activity where application_name = 'open' and backend_xid is not null)" >/dev/null
  chains chains_open
  chains chains_open_again
  sql -c "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'open'" >/dev/null
  switch_off_workflows
  reset_orders
  activate "$back"
  move_back
  switch_off_workflows
  record plain_moves "$(plain_moves)"
  moment_of "$no_pending_events" >/dev/null
done
stop_waybill
stop "$receiver_pid"
