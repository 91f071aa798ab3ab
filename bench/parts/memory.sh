# Resident memory of API and worker in one process, without PostgreSQL.
destinations=16
in_flight=768  # three quarters of the places of a worker: the most that one business gets (docs/decisions/0026)

switch_off_workflows
start_receiver $destinations
start_waybill up
make_workflow waiting '{"status": "processing"}' "" PT10M >/dev/null
for ((i = 0; i < destinations; ++i)); do
  make_workflow "held $i" "{\"status\": \"ready\", \"deliveryAddress.city\": \"City $i\"}" \
    "http://127.0.0.$((i + 1)):$receiver/hook" >/dev/null
done
sleep 3
record idle "$(rss_mb "$waybill_pid")"

sql -c 'set session_replication_role = replica' -c "update orders set status = 'pending' where business_id = '$business'"
sql -c "update orders set status = 'processing' where business_id = '$business'"
deadline=$((SECONDS + 60))
until [ "$(sql -c "select count(*) from run_queue where status = 'waiting'")" = "$orders" ]; do
  [ $SECONDS -lt $deadline ] || die "the runs are not waiting: $(sql -c 'select status, count(*) from all_runs group by 1')"
  sleep 0.2
done
record waiting "$(rss_mb "$waybill_pid")"

control hold >/dev/null
sql -c "update orders set status = 'ready' where business_id = '$business' and guid in (
  select ('00000000-0000-4000-8000-' || 100000000000 + n)::uuid from generate_series(1, $in_flight) n)"
control "wait?count=$in_flight" 14 >/dev/null || die "not all are in flight: $(control count)"
record in_flight "$(control count | jq .held)"
record waiting_and_in_flight "$(rss_mb "$waybill_pid")"
control release >/dev/null
until [ "$(sql -c "select count(*) from runs where status = 'succeeded' and event_id > (select pg_sequence_last_value('event_ids') - $in_flight)")" = $in_flight ]; do
  sleep 0.2
done
record afterwards "$(rss_mb "$waybill_pid")"
sql -c 'delete from run_queue'
stop_waybill
stop "$receiver_pid"
