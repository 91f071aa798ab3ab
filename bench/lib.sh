# Functions that the parts of the benchmark share: processes, the cluster, controls and samples. Sourced by run.sh.

repetitions=${BENCH_REPETITIONS:-3}
work=$(mktemp -d /tmp/waybill-bench-XXXXXX)
samples=$work/samples.csv
pids=()

# The tree with the sources of $waybill.
sources=$bench/..

# False if only waybill is measured, as bench/before.sh does.
with_peers() { [ "${BENCH_PEERS:-}" != none ]; }

say() { printf '%s\n' "$*" >&2; }
die() { say "bench: $*"; exit 1; }

# Starts a program in the background with its output in $work/NAME.log, and sets $started to its pid. start NAME COMMAND…
start() {
  local name=$1
  shift
  : >"$work/$name.log"
  "$@" >>"$work/$name.log" 2>&1 &
  started=$!
  pids+=("$started")
}

# Waits until a log has a line that matches, and prints it. await NAME PATTERN
await() {
  local deadline=$((SECONDS + 60))
  until grep -m 1 -E "$2" "$work/$1.log"; do
    if ! kill -0 "$started" 2>/dev/null || [ $SECONDS -ge $deadline ]; then
      tail -n 20 "$work/$1.log" >&2
      die "$1 did not print \"$2\""
    fi
    sleep 0.05
  done
}

stop() { # PID [SIGNAL]
  kill "-${2:-TERM}" "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

stop_all() {
  local i
  for ((i = ${#pids[@]} - 1; i >= 0; --i)); do stop "${pids[i]}" TERM; done
  [ -z "${postmaster:-}" ] || stop "$postmaster" INT
  rm -rf "$work"
}

# `waybill up` creates the cluster, so it has the real settings; PostgreSQL then runs without waybill.
start_cluster() {
  start first "$waybill" up --data-dir "$work/data" --listen 127.0.0.1:0 --metrics-listen off
  await first '^listening on' >/dev/null
  local server
  server=$(readlink "/proc/$(head -n 1 "$work/data/postgres/postmaster.pid")/exe")
  stop "$started"
  chmod 711 "$work" "$work/data"
  export PGHOST=$work/data/socket PGUSER=waybill PGDATABASE=waybill PGPORT=5432
  pg_bin=$(dirname "$server")
  local as_owner=()
  if [ "$(id -u)" = 0 ]; then
    as_owner=(setpriv "--reuid=$(stat -c %u "$work/data/postgres")" "--regid=$(stat -c %g "$work/data/postgres")"
      --clear-groups)
  fi
  "${as_owner[@]}" "$server" -D "$work/data/postgres" -k "$PGHOST" -c listen_addresses= >"$work/postgres.log" 2>&1 &
  postmaster=$!
  until "$pg_bin/pg_isready" -q; do
    kill -0 "$postmaster" || die "PostgreSQL did not start: $(cat "$work/postgres.log")"
    sleep 0.05
  done
  database_url=$(cat "$work/data/database-url")
  key_file=$work/data/secret.key
}

sql() { psql -qAtX -v ON_ERROR_STOP=1 -v business="$business" -v orders="$orders" "$@"; }

# Adds a business with orders unless the cluster has it, and sets $token, $business and $orders.
# make_data NAME ORDERS STATUSES
make_data() {
  orders=$2
  token=$("$waybill" token create --database-url "$database_url" --business "$1" --plan unlimited)
  business=$(psql -qAtX -c "select guid from businesses where name = '$1'")
  [ "$(sql -c "select exists (select from orders where business_id = '$business')")" = f ] || return 0
  say "  writing $orders orders"
  sql -v statuses="$3" -f "$bench/sql/data.sql"
}

# Sets the receiver's port $receiver, and $receiver_url, the URL to which peers send. start_receiver [ADDRESSES]
start_receiver() {
  start receiver "$build/bench_receiver" 0 "${1:-1}"
  receiver_pid=$started
  receiver=$(await receiver '^listening on' | grep -oE '[0-9]+$')
  receiver_url=http://127.0.0.1:$receiver
}

control() { curl -sS --max-time "${2:-10}" "http://127.0.0.1:$receiver/$1"; }

# Starts `waybill COMMAND` on the cluster; sets $waybill_pid and, if the command serves the API, its port $api.
start_waybill() { # COMMAND [OPTION…]
  local command=$1
  shift
  start waybill "$waybill" "$command" --database-url "$database_url" --secret-key-file "$key_file" --data-dir "$work/node" \
    --listen 127.0.0.1:0 --metrics-listen off --allow-private-destinations --blast-guard-minimum 1000000000 "$@"
  waybill_pid=$started
  if [ "$command" = worker ]; then
    await waybill 'worker.started' >/dev/null
  else
    api=$(await waybill '^listening on' | grep -oE '[0-9]+$')
  fi
  # Waits until the worker has the shards.
  until [ "$command" = api ] || [ "$(sql -c 'select bool_and(owner is not null) from shards')" = t ]; do sleep 0.05; done
}

stop_waybill() { stop "$waybill_pid"; }

api_call() { # METHOD PATH [BODY]
  curl -sS --fail-with-body --max-time 30 -X "$1" -H "Authorization: Bearer $token" \
    ${3:+-H 'Content-Type: application/json' -d "$3"} "http://127.0.0.1:$api$2" || die "$1 $2 failed"
}

trigger_guid() { # CODE
  api_call GET /api/workflows/triggers/Order | jq -r --arg code "$1" '.data[] | select(.code == $code).guid'
}

# Creates a webhook workflow for changes of an order's status and prints its guid.
# make_workflow NAME CONDITIONS [URL [DELAY]]
make_workflow() {
  api_call POST /api/workflows/configure "$(jq -n --arg name "$1" --argjson conditions "$2" \
    --arg trigger "$(trigger_guid order_status_changed)" \
    --arg url "${3:-http://127.0.0.1:$receiver/hook}" --arg delay "${4:-}" \
    '{name: $name, entityType: "Order", triggerId: $trigger, conditions: $conditions,
      action: {type: "webhook", recipient: $url}} + if $delay == "" then {} else {delay: $delay} end')" |
    jq -r .data.guid
}

# Creates a workflow with ten webhooks as its steps and prints its guid. make_steps CONDITIONS [URL]
make_steps() {
  api_call POST /api/workflows/configure "$(jq -n --argjson conditions "$1" --arg url "${2:-http://127.0.0.1:$receiver/hook}" \
    '{name: "steps", entityType: "Order", triggers: ["order_status_changed"], conditions: $conditions,
      steps: [range(10) | {type: "webhook", recipient: $url}]}')" | jq -r .data.guid
}

# Creates a workflow of ten steps, a webhook that asks, a choice by its answer, and eight webhooks, and prints its guid.
# make_choices CONDITIONS
make_choices() {
  api_call POST /api/workflows/configure "$(jq -n --argjson conditions "$1" --arg url "http://127.0.0.1:$receiver/hook" \
    '{name: "choices", entityType: "Order", triggers: ["order_status_changed"], conditions: $conditions,
      steps: [{type: "webhook", name: "ask", recipient: $url, answer: {ok: "boolean"}},
              {type: "choose", when: {"steps.ask.answer.ok": true}, then: [range(8) | {type: "webhook", recipient: $url}]}]}')" |
    jq -r .data.guid
}

# switch WORKFLOW true|false
switch() { sql -c "update workflows set is_active = $2, active_since = now() where guid = '$1'"; }

# Switches off the workflows of earlier parts.
switch_off_workflows() { sql -c 'update workflows set is_active = false where is_active'; }

# Waits until a statement returns true, and prints that moment. moment_of STATEMENT
moment_of() { echo "$1" | "$build/bench_load" until | cut -d' ' -f2; }

# Uses the index, whose dead entries are skipped once; a scan would read every finished event each time.
no_pending_events='select not exists (select from shards s, lateral (select from pending_events p where p.shard = s.shard order by p.id limit 1) p)'
no_queued_runs='select not exists (select from run_queue where status <> '\''held'\'' order by destination limit 1)'
no_river_jobs="select not exists (select from river_job where state <> 'completed')"
no_procrastinate_jobs="select not exists (select from procrastinate_jobs where status in ('todo', 'doing'))"
no_graphile_jobs='select not exists (select from graphile_worker._private_jobs order by id limit 1)'

# Copies waybill's database, so that statements with another queue can change the same orders. Triggers do not fire there.
copy_database() { # NAME
  dropdb --if-exists "$1"
  createdb --template waybill "$1"
  PGDATABASE=$1 sql -c 'alter table orders disable trigger user' -c 'vacuum analyze orders'
}

start_peer_worker() {
  createdb peer 2>/dev/null || true
  start peer env PGDATABASE=peer RECEIVER="$receiver_url" BODY_SIZE="$body_size" CONCURRENCY="${CONCURRENCY:-24}" \
    "$node" "$bench/peers/worker.mjs"
  peer_pid=$started
  await peer '^ready' >/dev/null
}

# River, with its defaults or tuned; sets $peer_pid. Fails if Go is not installed or too old for it.
start_river() { # [TUNED]
  with_peers || return 1
  command -v go >/dev/null || { say "  Go is not installed: no rows of River"; return 1; }
  if [ ! -x "$work/river" ]; then
    (cd "$bench/peers/river" && GOTOOLCHAIN=local go build -o "$work/river" . >&2) ||
      { say "  River could not be built: no rows of it"; return 1; }
  fi
  createdb river 2>/dev/null || true
  start river env PGDATABASE=river RECEIVER="$receiver_url" BODY_SIZE="$body_size" TUNED="${1:-}" "$work/river"
  peer_pid=$started
  await river '^ready' >/dev/null
}

# Procrastinate, with its defaults or tuned; sets $peer_pid. Fails if Python cannot install it.
start_procrastinate() { # [TUNED]
  with_peers || return 1
  local python=$work/python/bin/python
  if [ ! -x "$python" ]; then
    { python3 -m venv "$work/python" && "$python" -m pip -q install -r "$bench/peers/procrastinate/requirements.txt"; } >&2 ||
      { say "  Procrastinate could not be installed: no rows of it"; return 1; }
    createdb procrastinate
  fi
  start procrastinate env PGDATABASE=procrastinate RECEIVER="$receiver_url" BODY_SIZE="$body_size" \
    TUNED="${1:-}" "$python" "$bench/peers/procrastinate/worker.py"
  peer_pid=$started
  await procrastinate '^ready' >/dev/null
}

# Starts Fastify on the tables, for BUSINESS or the businesses of the tokens; sets $fastify_pid and its port $fastify.
start_fastify() { # [BUSINESS]
  start fastify env BUSINESS="${1:-}" "$node" "$bench/peers/rest.mjs"
  fastify_pid=$started
  fastify=$(await fastify '^listening on' | grep -oE '[0-9]+$')
}

# The same in Go; sets $go_pid and its port $go. Without Go 1.24 or later there is no such peer, and this fails.
# Variables before the command set the peer's own, like CHANGES=steps.
start_go() { # [BUSINESS]
  with_peers || return 1
  command -v go >/dev/null || { say "  Go is not installed: no rows of net/http + pgx"; return 1; }
  if [ ! -x "$work/go_peer" ]; then
    (cd "$bench/peers/rest" && GOTOOLCHAIN=local go build -o "$work/go_peer" . >&2) ||
      { say "  The peer in Go could not be built: no rows of net/http + pgx"; return 1; }
  fi
  start go env BUSINESS="${1:-}" "$work/go_peer"
  go_pid=$started
  go=$(await go '^listening on' | grep -oE '[0-9]+$')
}

rss_mb() { awk '/^VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$1/status"; }

# CPU time in milliseconds of a process, and of PostgreSQL with all its processes.
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$1/stat"; }
postgres_cpu_ms() {
  local stats=("/proc/$postmaster/stat") child
  for child in $(cat "/proc/$postmaster/task/$postmaster/children"); do stats+=("/proc/$child/stat"); done
  { cat "${stats[@]}" 2>/dev/null || true; } | # some processes may have ended
    awk -v main="$postmaster" '{ t += $14 + $15; if ($1 == main) t += $16 + $17 } END { print t * 10 }'
}

record() { # NAME VALUE
  [ -n "$2" ] || die "$1 could not be measured"
  say "  $1 $2"
  printf '%s,%s\n' "$1" "$2" >>"$samples"
}

# Runs pgbench for $seconds, and prints its transactions per second. transactions OPTION…
transactions() {
  "$pg_bin/pgbench" -n -M prepared -j 2 -T "$seconds" -D business="$business" "$@" 2>&1 | sed -n 's/^tps = \([0-9.]*\).*/\1/p'
}

# Runs wrk for $seconds with the variables of its script; sets $rate (requests/s), $p50 and $p99 (ms). Fails if a request
# fails. run_wrk NAME SCRIPT PORT CONNECTIONS
run_wrk() {
  local errors
  read -r _ rate p50 p99 errors < <(wrk -t1 --timeout 30s "-c$4" "-d${seconds}s" -s "$bench/$2" "http://127.0.0.1:$3" |
    grep '^wrk:')
  [ "$errors" = 0 ] || die "$1: $errors errors"
}

# Records the rate and the latencies of wrk, with the arguments of run_wrk.
record_load() {
  local rate p50 p99
  run_wrk "$@"
  record "$1" "$rate"
  record "$1_p50" "$p50"
  record "$1_p99" "$p99"
}

# Each order is changed and changed back by the statement, with an increasing number, as by the API.
alternating_change() {
  echo "update orders set status = case status when 'pending' then 'processing' else 'pending' end
    where business_id = '$business' and guid = ('00000000-0000-4000-8000-' || 100000000001 + \$1::bigint / 2)::uuid"
}

# Sets all orders back, without events: a move to the same status makes no event. reset_orders [STATUS [TABLE]]
reset_orders() {
  sql -c 'set session_replication_role = replica' \
    -c "update ${2:-orders} set status = '${1:-pending}' where business_id = '$business' and status <> '${1:-pending}'"
}

# Measures changes through the API of orders that are `pending`, from the response to the receiver.
# api_latency NAME COUNT PAUSE_US
api_latency() {
  local lines
  mapfile -t lines < <("$build/bench_latency" api "$receiver" "$2" "$3" "$api" "$token")
  record_latency "$1" "${lines[@]}"
}

# Measures a statement's changes, from the commit to the receiver. statement_latency NAME COUNT PAUSE_US STATEMENT
statement_latency() {
  local lines
  mapfile -t lines < <("$build/bench_latency" sql "$receiver" "$2" "$3" "$4")
  record_latency "$1" "${lines[@]}"
}

per_second() { # COUNT START_NS END_NS
  awk -v n="$1" -v from="$2" -v to="$3" 'BEGIN { printf "%.1f", n / (to - from) * 1e9 }'
}

# Records the output of bench_latency.
record_latency() { # NAME LINE_FROM_COMMIT LINE_FROM_SENDING LINE_UNTIL_COMMIT REFUSALS
  [ $# = 5 ] || die "no latency was measured"
  local p50 p95 p99 longest
  read -r p50 p95 p99 longest <<<"$2"
  record "$1_p50" "$p50"
  record "$1_p95" "$p95"
  record "$1_p99" "$p99"
  record "$1_max" "$longest"
  read -r p50 p95 p99 longest <<<"$3"
  record "$1_sent_p50" "$p50"
  record "$1_sent_p99" "$p99"
  read -r p50 p95 p99 longest <<<"$4"
  record "$1_write_p99" "$p99"
  record "$1_write_max" "$longest"
  record "$1_refusals" "$5"
}
