# Commits a second of 32 writers that update orders: with and without the event triggers; and with what an application would
# write instead, a job of River or a row of an outbox in the same statement. No worker of these runs.
seconds=${BENCH_SECONDS:-5}

writers() { # NAME
  sql -c 'vacuum analyze orders, pending_events' -c checkpoint
  record "$1" "$(transactions -c 32 -f "$bench/sql/writers.sql")"
}

# Writers with another queue, in a copy of the database. rival_writers NAME
declare -A tables=([outbox]=plain_outbox [river]=river_job)
rival_writers() {
  local -x PGDATABASE=$1
  local table=${tables[$1]}
  sql -c "truncate $table" -c "vacuum analyze orders, $table" -c checkpoint
  record "$1" "$(transactions -c 32 -f "$bench/sql/writers_$1.sql")"
}

settle() {
  until [ "$(sql -c 'select count(*) from pending_events')" = 0 ]; do sleep 0.2; done
}

switch_off_workflows
start_receiver
start_waybill up
make_workflow matched '{"totalValue": {"lt": 0}}' >/dev/null
sent=$(make_workflow sent '{"totalValue": {"gte": 0}}')
switch "$sent" false
stop_waybill
rivals=()
if with_peers; then
  body_size=1400
  copy_database outbox
  PGDATABASE=outbox sql -c 'create table plain_outbox (id bigint generated always as identity primary key,
    payload json not null, created_at timestamptz not null default now())'
  rivals=(outbox)
  copy_database river
  if start_river 1; then # makes its tables
    stop "$peer_pid"
    rivals+=(river)
  fi
fi
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  sql -c 'alter table orders disable trigger event_update'
  writers without
  sql -c 'alter table orders enable trigger event_update'
  writers with
  for rival in "${rivals[@]}"; do rival_writers "$rival"; done
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
