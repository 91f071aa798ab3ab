# Events a second, from the commit of the change to the last webhook received, and to the last run recorded.
condition='{"status": {"in": ["pending", "processing"]}, "totalValue": {"gte": 1}}'
status=pending

toggle_status() {
  if [ "$(sql -c "select status from orders where business_id = '$business' limit 1")" = pending ]; then
    status=processing
  else
    status=pending
  fi
}

prepare() {
  sql -c 'vacuum analyze orders, pending_events' -c checkpoint
  toggle_status
  control reset >/dev/null
  first_event=$(sql -c 'select coalesce(max(id), 0) from events')
  cpu_before=("$(cpu_ms "$waybill_pid")" "$(postgres_cpu_ms)" "$(cpu_ms "$receiver_pid")")
}

# Waits until all webhooks are received and all runs recorded, and checks the ledger. conclude NAME START_NS
conclude() {
  local name=$1 start=$2 counts last recorded ledger
  counts=$(control "wait?count=$orders" 100) || die "$name: only $(control count) arrived"
  last=$(jq .last_ns <<<"$counts")
  recorded=$(moment_of "$no_pending_events")
  record "$1" "$(per_second "$orders" "$start" "$last")"
  record "$1_recorded" "$(per_second "$orders" "$start" "$recorded")"
  local cpu_after=("$(cpu_ms "$waybill_pid")" "$(postgres_cpu_ms)" "$(cpu_ms "$receiver_pid")")
  local who=(waybill postgres receiver) i
  for i in 0 1 2; do
    record "$1_cpu_${who[i]}" "$(awk -v n="$orders" -v ms=$((cpu_after[i] - cpu_before[i])) 'BEGIN { printf "%.1f", ms * 1000 / n }')"
  done
  ledger=$(sql -F ' ' -c "select (select count(*) from events where id > $first_event),
    (select count(*) from all_runs where event_id > $first_event),
    (select count(distinct event_id) from all_runs where event_id > $first_event and status = 'succeeded')")
  counts=$(control count)
  say "  ledger of $name: $(jq .distinct <<<"$counts") received ($(jq .requests <<<"$counts") requests), events, runs, succeeded: $ledger"
  [ "$(jq .distinct <<<"$counts") $ledger" = "$orders $orders $orders $orders" ] || die "$name is void: the ledger does not balance"
  body_size=$(jq '.bytes / .requests | floor' <<<"$counts")
}

waybill_sql() { # NAME
  prepare
  local committed
  committed=$(echo "update orders set status = '$status' where business_id = '$business'" | "$build/bench_load" sql | cut -d' ' -f2)
  cpu_before=("$(cpu_ms "$waybill_pid")" "$(postgres_cpu_ms)" "$(cpu_ms "$receiver_pid")")
  conclude "$1" "$committed"
}

# Measured from the first request, so the time of the API is included. Once, because it takes long and has no peer.
waybill_api() {
  prepare
  local times
  times=$("$build/bench_load" api "$api" "$token" 32 "$orders" "$status")
  record api_accepted "$(per_second "$orders" ${times% *} ${times#* })"
  conclude api "${times% *}"
}

# Holds a snapshot open, which keeps every dead row of the outbox and every version of each record.
open_reader() {
  psql -qAtX -c "begin isolation level repeatable read" -c "select count(*) from pending_events" -c "select pg_sleep(600)" \
    >/dev/null 2>&1 &
  reader=$!
  until [ "$(sql -c "select count(*) from pg_stat_activity where query like 'select pg_sleep(600)%'")" = 1 ]; do sleep 0.05; done
}

close_reader() {
  sql -c "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep(600)%'" >/dev/null
  wait "$reader" 2>/dev/null || true
}

waybill_with_reader() {
  open_reader
  waybill_sql reader
  close_reader
}

# Three minutes of 500 changes a second, every second one with a webhook; then a statement three times. Once with a snapshot
# open all the time, and once without, because the changes alone leave the orders in another order, which makes writing their
# indexes more expensive. Both begin without history; otherwise the second one would have more of it than fits the buffers.
waybill_after_changes() { # NAME
  local i
  sql -c 'truncate events, runs, run_counts'
  cat >"$work/changes.pgbench" <<END
\\set n random(1, $orders)
update orders set status = 'delivered' where business_id = '$business' and guid = ('00000000-0000-4000-8000-' || 100000000000 + :n)::uuid;
update orders set status = '$status' where business_id = '$business' and guid = ('00000000-0000-4000-8000-' || 100000000000 + :n)::uuid;
END
  "$pg_bin/pgbench" -n -c 4 -R 250 -T "${BENCH_READER_SECONDS:-180}" -f "$work/changes.pgbench" >/dev/null 2>"$work/changes.err" ||
    die "changes: $(cat "$work/changes.err")"
  moment_of "$no_pending_events" >/dev/null
  for ((i = 0; i < 3; ++i)); do waybill_sql "$1"; done
}

waybill_with_long_reader() {
  waybill_after_changes changed
  open_reader
  waybill_after_changes long_reader
  close_reader
}

# Runs jobs that one transaction inserts, and records rates and CPU times. peer_jobs NAME DATABASE COUNT DONE <<<"STATEMENTS"
peer_jobs() {
  local name=$1 count=$3 committed last finished cpu_peer cpu_postgres
  local -x PGDATABASE=$2
  control reset >/dev/null
  psql -qAtX -c checkpoint
  committed=$("$build/bench_load" sql | cut -d' ' -f2)
  cpu_peer=$(cpu_ms "$peer_pid")
  cpu_postgres=$(postgres_cpu_ms)
  last=$(control "wait?count=$count" 100 | jq .last_ns)
  finished=$(moment_of "$4")
  record "$name" "$(per_second "$count" "$committed" "$last")"
  record "${name}_recorded" "$(per_second "$count" "$committed" "$finished")"
  record "${name}_cpu_peer" "$(awk -v n="$count" -v ms=$(($(cpu_ms "$peer_pid") - cpu_peer)) 'BEGIN { printf "%.1f", ms * 1000 / n }')"
  record "${name}_cpu_postgres" "$(awk -v n="$count" -v ms=$(($(postgres_cpu_ms) - cpu_postgres)) 'BEGIN { printf "%.1f", ms * 1000 / n }')"
}

# The arguments of job i, for generate_series.
job="json_build_object('order', i::text, 'number', 'ORD-' || i, 'status', 'pending')"

# graphile-worker's plans depend on statistics: inserts are fast if the size of the table is unknown, as after `truncate`,
# and claims are fast if the table was analyzed when it was full.
peer_sql() {
  PGDATABASE=peer sql -c 'truncate graphile_worker._private_jobs'
  peer_jobs peer peer "$orders" "$no_graphile_jobs" <<END
begin
select graphile_worker.add_job('deliver', $job) from generate_series(1, $orders) i
analyze graphile_worker._private_jobs
commit
END
}

graphile_jobs() {
  with_peers || return 0
  start_peer_worker
  peer_sql
  stop "$peer_pid"
}

river_sql() { # NAME COUNT
  PGDATABASE=river psql -qAtX -c 'truncate river_job'
  peer_jobs "$1" river "$2" "$no_river_jobs" <<END
begin
insert into river_job (args, kind, max_attempts) select $job, 'deliver', 25 from generate_series(1, $2) i
analyze river_job
select pg_notify('public.river_insert', '{"queue": "default"}')
commit
END
}

procrastinate_sql() { # NAME COUNT
  PGDATABASE=procrastinate psql -qAtX -c 'set client_min_messages = warning' -c 'truncate procrastinate_jobs cascade'
  peer_jobs "$1" procrastinate "$2" "$no_procrastinate_jobs" <<END
begin
insert into procrastinate_jobs (queue_name, task_name, args) select 'default', 'deliver', $job from generate_series(1, $2) i
analyze procrastinate_jobs
commit
END
}

# The other peers (River, Procrastinate), with their defaults or tuned; the slow ones get fewer jobs.
rivals() { # [TUNED]
  local name=${1:+_tuned}
  if start_river "${1:-}"; then
    river_sql "river$name" $((${1:-0} ? orders : orders / 10))
    stop "$peer_pid"
  fi
  if start_procrastinate "${1:-}"; then
    procrastinate_sql "procrastinate$name" $((${1:-0} ? 2000 : 1000))
    stop "$peer_pid"
  fi
}

switch_off_workflows
start_receiver
start_waybill up
make_workflow throughput "$condition" >/dev/null
# The first run warms both up and measures the size of a body; it is not counted.
mv "$samples" "$samples.kept"
waybill_sql warm_up
graphile_jobs
mv "$samples.kept" "$samples"
rivals
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  waybill_sql sql
  graphile_jobs
  rivals 1
  waybill_with_reader
done
if with_peers; then waybill_with_long_reader; fi
waybill_api
record body_size "$body_size"
stop_waybill
stop "$receiver_pid"
