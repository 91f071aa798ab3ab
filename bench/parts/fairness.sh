# What one business does to another: the latency of a quiet one's webhooks (25 changes a second, one after another), alone
# and while another makes a hundred times as many changes, has an endpoint that never answers, has sixteen endpoints that
# answer after 14 s, keeps the worker at half of what it can do, or changes 100 000 at once. And what is not waybill's doing: while the same statements change a table that
# it does not watch, while its events fire nothing, and with real-time priority for all but the writers, who then cannot take
# the cores from waybill in the middle of its work.
half=10000  # changes a second, by statements of a hundred; see the throughput
changes=500
pause_us=40000

quiet() { # NAME
  local lines
  mapfile -t lines < <("$build/bench_latency" api "$receiver" "$changes" "$pause_us" "$api" "$token")
  record_latency "$1" "${lines[@]}"
}

# The loud business's changes, so many transactions a second, while a command runs.
while_changing() { # TRANSACTIONS FILE COMMAND…
  "$pg_bin/pgbench" -n -M prepared -c 4 -j 1 -R "$1" -T 600 -f "$2" >/dev/null 2>&1 &
  local load=$!
  shift 2
  sleep 1
  "$@"
  kill "$load"
  wait "$load" 2>/dev/null || true
}

# Whether all but the writers go before the writers: rr 10, or other 0. A process that ends meanwhile is passed over.
prefer() { # POLICY PRIORITY
  local process
  for process in $$ "$waybill_pid" "$quiet_pid" "$loud_pid" $(sql -c "select pid from pg_stat_activity where application_name <> 'pgbench'"); do
    chrt --all-tasks "--$1" --pid "$2" "$process" 2>/dev/null || true
  done
}

settled() { until [ "$(sql -c 'select not exists (select from pending_events)')" = t ]; do sleep 0.1; done; }

beside_a_dead_endpoint() { # COMMAND…
  curl -sS "http://127.0.0.1:$loud_receiver/hold" >/dev/null
  while_changing 100 "$work/loud.pgbench" "$@"
  curl -sS "http://127.0.0.1:$loud_receiver/release" >/dev/null
  sql -c "delete from run_queue where business_id = '$loud_business'"
  settled
}

# Twenty-five changes a second leave the cores free; with sixteen workflows each they are seven times what all places in
# flight can bear.
beside_slow_endpoints() { # COMMAND…
  sql -c "update workflows set is_active = guid::text = any (string_to_array('$slow_workflows', ' ')) where business_id = '$loud_business'"
  curl -sS "http://127.0.0.1:$loud_receiver/delay?ms=14000" >/dev/null
  while_changing 1 "$work/loud.pgbench" eval "sleep 5; $*"
  curl -sS "http://127.0.0.1:$loud_receiver/delay?ms=0" >/dev/null
  sql -c "update workflows set is_active = guid = '$loud_workflow' where business_id = '$loud_business'"
  sql -c "delete from run_queue where business_id = '$loud_business'"
  settled
}

quiet_first() { # NAME
  prefer rr 10
  quiet "$1"
  prefer other 0
}

switch_off_workflows
start_receiver
quiet_receiver=$receiver
quiet_pid=$receiver_pid
start_receiver 16
loud_receiver=$receiver
loud_pid=$receiver_pid
receiver=$quiet_receiver
start_waybill up
make_workflow quiet '{"status": {"in": ["pending", "processing"]}}' >/dev/null
quiet_token=$token quiet_business=$business
token=$("$waybill" token create --database-url "$database_url" --business Loud --plan unlimited)
business=$(sql -c "select guid from businesses where name = 'Loud'")
sql -c "set session_replication_role = replica" -c "insert into orders (business_id, guid, order_number, status, customer_id, items, delivery_street, delivery_city, total_value)
  select '$business', ('00000000-0000-4000-b000-' || 100000000000 + n)::uuid, 'L-' || n, 'pending', null, '[]', 'Main Street 1', 'City', 20 from generate_series(1, $orders) n" -c "vacuum analyze orders"
loud_workflow=$(make_workflow loud '{"status": {"in": ["pending", "processing"]}}' "http://127.0.0.1:$loud_receiver/hook")
slow_workflows=
for ((i = 1; i <= 16; ++i)); do
  slow_workflows+="${slow_workflows:+ }$(make_workflow "slow $i" '{"status": {"in": ["pending", "processing"]}}' "http://127.0.0.$i:$loud_receiver/hook")"
done
sql -c "update workflows set is_active = false where guid::text = any (string_to_array('$slow_workflows', ' '))"
# By statements of many, which find their orders by their keys: a commit for each change would keep the machine busy with commits, not the worker with changes.
changes_of() { # ORDERS FILE
  printf '%s\n' "\\set n $1 * random(0, $orders / $1 - 1)" \
    "update orders set status = case status when 'pending' then 'processing' else 'pending' end where business_id = '$business' and guid = any (array(select ('00000000-0000-4000-b000-' || 100000000000 + k)::uuid from generate_series(:n + 1, :n + $1) k))" >"$2"
}
changes_of 25 "$work/loud.pgbench"
sed 's/update orders/update unwatched_orders/' "$work/loud.pgbench" >"$work/unwatched.pgbench"
sql -c "create table unwatched_orders (like orders including all)" \
  -c "insert into unwatched_orders select * from orders where business_id = '$business'" -c "vacuum analyze unwatched_orders"
changes_of 100 "$work/half.pgbench"
loud_business=$business token=$quiet_token business=$quiet_business
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  quiet alone
  while_changing 100 "$work/unwatched.pgbench" quiet unwatched
  sql -c "update workflows set is_active = false where business_id = '$loud_business'"
  while_changing 100 "$work/loud.pgbench" quiet unfired
  settled
  sql -c "update workflows set is_active = true where guid = '$loud_workflow'"
  while_changing 100 "$work/loud.pgbench" quiet loud
  settled
  beside_a_dead_endpoint quiet dead
  beside_slow_endpoints quiet slow
  if chrt --rr 10 true 2>/dev/null; then
    quiet_first alone_first
    while_changing 100 "$work/loud.pgbench" quiet_first loud_first
    settled
    beside_a_dead_endpoint quiet_first dead_first
  fi
  while_changing $((half / 100)) "$work/half.pgbench" quiet half
  settled
  sql -c "update orders set status = 'ready' where business_id = '$loud_business'"
  settled
  sql -c "update orders set status = 'pending' where business_id = '$loud_business'" &
  quiet burst
  wait %%
  settled
done
stop_waybill
stop "$quiet_pid"
stop "$receiver_pid"
