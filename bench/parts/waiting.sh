# The cost of a million waiting runs for due runs: the rate at which 50 000 due runs of 16 destinations are performed, and the
# time PostgreSQL takes for one claim of them, with nothing else in the queue, with the million in it, and with a million that wait
# for an event of their record.
due=50000
waiting=1000000

# Adds runs whose events are spread evenly over the interval BEFORE now. With STEP, they wait in this step for an event.
# add_runs COUNT STATUS BEFORE DUE_AFTER [STEP]
add_runs() {
  sql -1 -v workflow="$workflow" -v count="$1" -v status="$2" -v before="$3" -v due="$4" -v step="${5:-0}" <<'SQL'
insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action,
                       status, created_at, due_at, origin, destination, request, watched_step, watch_after)
select :'business', made.guid, :'workflow', 1, n, 0, gen_random_uuid(), 'order_status_changed', 'nothing', :'status', made.at,
       now() + :'due'::interval + n * interval '10 microseconds', made.guid, 'bench-' || n % 16 || ':80', '{}',
       :step, case when :step > 0 then n end
from generate_series(1, :count) n, lateral (select now() - (:count - n) * :'before'::interval / :count as at) past,
     lateral (select past.at, timed_guid(past.at) as guid) made;
notify waybill_queue;
SQL
}

# Measures the product's own statement with the id of a worker that does not exist, and rolls it back.
claim_times() { # NAME
  {
    echo 'begin;'
    sed -e '/^--/d' -e "s/\$1::text\[\]/'{}'::text[]/g" -e "s/\$2::timestamptz\[\]/'{}'::timestamptz[]/" \
      -e "s/\$3::uuid/'00000000-0000-4000-8000-000000000001'::uuid/" -e "s/\$4::interval/interval '30 s'/g" \
      -e "s/\$5::bigint/32/" -e "s/\$6::text\[\]/'{}'::text[]/" -e "s/\$7::bigint/256/" \
      -e "s/\$8::text\[\]/'{}'::text[]/" -e "s/\$9::bigint/8388608/" <(cd "$sources/storage/sql/queue" &&
        sed -e '/\\ir destinations.inc/{r destinations.inc
d}' -e '/\\ir may_go.inc/{r may_go.inc
d}' claim.sql)
    echo ';'
    echo 'rollback;'
  } >"$work/claim.pgbench"
  "$pg_bin/pgbench" -n -M prepared -c 1 -t 300 -f "$work/claim.pgbench" -l --log-prefix="$work/claim" >/dev/null 2>"$work/claim.err" ||
    die "claims: $(cat "$work/claim.err")"
  # The third column is in microseconds.
  record "$1_claim_p99" "$(cat "$work"/claim.[0-9]* | sort -n -k3 | awk '{ t[NR] = $3 } END { printf "%.3f", t[int(NR * 0.99)] / 1000 }')"
  rm -f "$work"/claim.[0-9]*
}

drain() { # NAME
  local started
  add_runs $due queued '1 second' 0
  sql -c 'vacuum analyze run_queue'
  claim_times "$1"
  sql -c "delete from run_queue where status = 'queued'" -c 'vacuum analyze run_queue' -c checkpoint
  start_waybill worker
  add_runs $due queued '1 second' 0
  started=$(date +%s%N)
  moment_of "select not exists (select from run_queue where status in ('queued', 'running') limit 1)" >/dev/null
  record "$1_rate" "$(per_second "$due" "$started" "$(date +%s%N)")"
  stop_waybill
}

switch_off_workflows
workflow=$(sql -c "insert into workflows (business_id, name, entity_type, trigger_code, action, conditions)
  values ('$business', 'waiting', 0, 'order_status_changed', '{\"type\": \"nothing\"}', '{\"status\": \"cancelled\"}') returning guid")
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  drain empty
  say "  writing $waiting waiting runs"
  add_runs $waiting waiting '1 day' '1 day'
  drain full
  sql -c 'truncate run_queue'
  say "  writing $waiting runs that wait for an event"
  add_runs $waiting waiting '1 day' '1 day' 1
  drain watching
  sql -c 'truncate run_queue'
done
