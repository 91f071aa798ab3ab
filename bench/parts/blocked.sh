# The time from the commit of a change to the first byte at the receiver, while ordered runs of another business wait for
# earlier runs of their records.
changes=1000
pause_us=5000

# Adds runs of as many records, each after one that is attempted again in an hour. add_blocked COUNT
add_blocked() {
  sql -v count="$1" <<'SQL'
with other as (
  insert into businesses (name) values ('Blocked') returning guid
), workflow as (
  insert into workflows (business_id, name, entity_type, trigger_code, action, conditions, ordered)
  select guid, 'blocked', 0, 'order_status_changed', '{"type": "nothing"}', '{"status": "cancelled"}', true from other
  returning guid, business_id
)
insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, action,
                       status, created_at, due_at, origin, destination, request, ordered)
select w.business_id, r.guid, w.guid, 1, n, 0, md5((n % :count)::text)::uuid, 'order_status_changed', 'nothing',
       case when n < :count then 'retrying' else 'queued' end, now(),
       now() + case when n < :count then interval '1 hour' else interval '0' end, r.guid, 'blocked', '{}', true
from workflow w, generate_series(0, 2 * :count - 1) n, lateral (select timed_guid(now() + n * interval '1 microsecond') as guid) r;
notify waybill_queue;
SQL
}

latency_beside() { # NAME
  local lines
  mapfile -t lines < <("$build/bench_latency" sql "$receiver" "$changes" "$pause_us" \
    "update orders set status = case status when 'pending' then 'processing' else 'pending' end
     where business_id = '$business' and guid = ('00000000-0000-4000-8000-' || 100000000001 + \$1::bigint)::uuid")
  record_latency "$1" "${lines[@]}"
}

switch_off_workflows
start_receiver
start_waybill up
make_workflow blocked '{"status": {"in": ["pending", "processing"]}, "totalValue": {"gte": 1}}' >/dev/null
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  latency_beside alone
  for count in 10000 100000; do
    add_blocked $count
    latency_beside "beside_$count"
    sql -c "delete from run_queue where destination = 'blocked'" -c 'vacuum run_queue'
  done
done
stop_waybill
stop "$receiver_pid"
