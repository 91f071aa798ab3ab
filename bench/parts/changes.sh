# Changes and new orders through the API, compared with Go + pgx, with 64 connections: moves of orders to another status,
# changes of their notes, changes of their items (without a peer), single new orders, and bulk calls of 1 000.
# `changes-million` has a million orders instead of 100 000.
seconds=${BENCH_SECONDS:-5}

# Sends requests of one kind; records the rate, the latencies and PostgreSQL's CPU time for each change.
# changes NAME PORT WORK CONNECTIONS [BATCH]
changes() {
  local rate p50 p99 cpu
  sql -c 'vacuum analyze orders, pending_events' -c checkpoint
  cpu=$(postgres_cpu_ms)
  WORK=$3 TOKEN=$token ORDERS=$orders BATCH=${5:-1} run_wrk "$1" wrk_changes.lua "$2" "$4"
  record "$1" "$(awk -v rate="$rate" -v batch="${5:-1}" 'BEGIN { printf "%.1f", rate * batch }')"
  record "$1_p50" "$p50"
  record "$1_p99" "$p99"
  record "$1_cpu" "$(awk -v ms=$(($(postgres_cpu_ms) - cpu)) -v n="$rate" -v s="$seconds" -v batch="${5:-1}" \
    'BEGIN { printf "%.0f", ms * 1000 / (n * s * batch) }')"
}

switch_off_workflows
if with_peers; then sql -f "$bench/sql/peer.sql"; fi
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  start_waybill api
  reset_orders ready # the first round of moves is from ready to processing
  changes move "$api" move 64
  changes edit "$api" edit 64
  changes reorder "$api" reorder 64
  changes create "$api" create 64
  changes bulk "$api" bulk 2 1000
  stop_waybill
  for way in statement steps; do
    export CHANGES=$way
    if start_go "$business"; then
      reset_orders ready peer.orders
      changes "go_$way" "$go" move 64
      changes "go_edit_$way" "$go" edit 64
      [ $way = steps ] || changes go_create "$go" create 64
      stop "$go_pid"
    fi
  done
  unset CHANGES
done
