# The queue alone: an action that does nothing, compared with the peers' jobs that do nothing, and batches claimed with
# plain SQL. The database decides when a job is done: the run is in the history, the peer's job is deleted
# (graphile-worker) or completed (pg-boss).

waybill_runs() {
  sql -c 'vacuum analyze orders, pending_events' -c checkpoint
  local started finished first
  first=$(sql -c 'select coalesce(max(id), 0) from events')
  status=$([ "$status" = pending ] && echo processing || echo pending)
  started=$(echo "update orders set status = '$status' where business_id = '$business'" | "$build/bench_load" sql | cut -d' ' -f2)
  finished=$(moment_of "$no_pending_events")
  [ "$(sql -c "select count(*) from runs where event_id > $first and status = 'succeeded'")" = "$orders" ] || die 'a change has no run'
  record waybill "$(per_second "$orders" "$started" "$finished")"
}

peer_jobs() { # graphile|boss
  with_peers || return 0
  record "$1" "$(PGDATABASE=peer "$node" "$bench/peers/queue.mjs" "$1" "$orders")"
}

floor() {
  with_peers || return 0
  sql -c 'drop table if exists floor_jobs' -c 'create table floor_jobs (id bigint primary key, payload jsonb)' \
    -c "insert into floor_jobs select n, jsonb_build_object('order', n) from generate_series(1, $orders * 4) n" -c 'vacuum analyze floor_jobs' -c checkpoint
  local started
  started=$(date +%s%N)
  "$pg_bin/pgbench" -n -M prepared -c 4 -j 2 -t $((orders * 4 / 500 / 4)) -f "$bench/sql/claims.sql" >/dev/null 2>&1
  record floor "$(per_second $((orders * 4)) "$started" "$(date +%s%N)")"
  [ "$(sql -c 'select count(*) from floor_jobs')" = 0 ] || die 'pgbench left jobs'
}

switch_off_workflows
createdb peer 2>/dev/null || true
start_waybill up
# The API does not offer this action; it exists for this measurement.
sql -c "insert into workflows (business_id, name, entity_type, trigger_code, action, conditions)
        values ('$business', 'nothing', 0, 'order_status_changed', '{\"type\": \"nothing\"}',
                '{\"status\": {\"in\": [\"pending\", \"processing\"]}, \"totalValue\": {\"gte\": 1}}')"
sleep 1
# Resets the orders after earlier parts, so that the first run changes each of them.
reset_orders
status=pending
mv "$samples" "$samples.kept"
waybill_runs
mv "$samples.kept" "$samples"
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  waybill_runs
  peer_jobs graphile
  peer_jobs boss
  floor
done
stop_waybill
