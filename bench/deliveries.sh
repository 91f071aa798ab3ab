# Functions of the parts that measure deliveries: 100 000 changes by one statement, or as many jobs of a peer, until all
# webhooks are received and recorded. Sourced by these parts.
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
peer_sql() { # NAME
  PGDATABASE=peer sql -c 'truncate graphile_worker._private_jobs'
  peer_jobs "$1" peer "$orders" "$no_graphile_jobs" <<END
begin
select graphile_worker.add_job('deliver', $job) from generate_series(1, $orders) i
analyze graphile_worker._private_jobs
commit
END
}

graphile_jobs() {
  with_peers || return 0
  start_peer_worker
  peer_sql peer
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
