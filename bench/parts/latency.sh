# The time from the commit of a change to the first byte at the receiver, one change after another on an idle machine.
changes=1000
pause_us=5000
body_size=1400

# The write includes the event triggers.
sql_latency() { statement_latency sql $changes $pause_us "$(alternating_change)"; }

# A statement that inserts a job; and one that also makes the change.
river_latency() {
  local job="insert into river_job (args, kind, max_attempts)
    select json_build_object('order', \$1::text, 'number', 'ORD', 'status', 'pending'), 'deliver', 25"
  local notify="select pg_notify('public.river_insert', '{\"queue\": \"default\"}') from job"
  PGDATABASE=river statement_latency river $changes $pause_us "with job as ($job returning id) $notify"
  PGDATABASE=river statement_latency river_change $changes $pause_us \
    "with changed as ($(alternating_change) returning guid), job as ($job from changed returning id) $notify"
}

peer_latency() {
  PGDATABASE=peer statement_latency peer $changes $pause_us \
    "select graphile_worker.add_job('deliver', json_build_object('order', $SECONDS::text || '-' || \$1::text))"
}

switch_off_workflows
reset_orders
if with_peers; then copy_database river; fi
start_receiver
start_waybill up
make_workflow latency '{"status": {"in": ["pending", "processing"]}, "totalValue": {"gte": 1}}' >/dev/null
if with_peers; then
  start_peer_worker
  graphile_pid=$peer_pid
fi
with_river=
if start_river 1; then with_river=yes; fi
sql -c 'vacuum analyze' -c checkpoint
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  api_latency waybill $changes $pause_us
  sql_latency
  if with_peers; then peer_latency; fi
  [ -z "$with_river" ] || river_latency
done
[ -z "$with_river" ] || stop "$peer_pid"
if with_peers; then stop "$graphile_pid"; fi
stop_waybill

if with_peers; then
  # Without NOTIFY the worker still polls. Sessions read the setting when they connect.
  sql -c 'alter database waybill set waybill.notify = off'
  start_waybill up
  api_latency no_notify 20 1000
  sql -c 'alter database waybill reset waybill.notify'
  stop_waybill
fi
stop "$receiver_pid"
