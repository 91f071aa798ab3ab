# Events a second, from the commit of the change to the last webhook received, and to the last run recorded.
# shellcheck source=../deliveries.sh
. "$bench/deliveries.sh"

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
