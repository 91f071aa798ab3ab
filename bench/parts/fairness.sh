# The effect of one business on another: the latency of a quiet business's webhooks (25 changes a second, one after another),
# alone and while a loud business makes a hundred times as many changes, has a destination that never answers, has sixteen
# destinations that answer after 14 s, confirms sixteen uploads of customers, has workflows with endless templates or
# 100 000 steps to perform, keeps the worker at half of its throughput, or changes 100 000 orders at once; and the memory
# of a worker when one large order meets 1 500 workflows.
# For comparison, effects that waybill does not cause: the same statements on a table without triggers, events that fire
# nothing, and real-time priority for everything but the writers, which then cannot take a core from waybill.
half=10000  # changes a second, in statements of a hundred; half of the measured throughput
changes=500
pause_us=40000

quiet() { # NAME
  local lines
  mapfile -t lines < <("$build/bench_latency" api "$receiver" "$changes" "$pause_us" "$api" "$token")
  record_latency "$1" "${lines[@]}"
}

# Runs a command while the loud business makes this number of transactions a second.
while_changing() { # TRANSACTIONS FILE COMMAND…
  "$pg_bin/pgbench" -n -M prepared -c 4 -j 1 -R "$1" -T 600 -f "$2" >/dev/null 2>&1 &
  local load=$!
  shift 2
  sleep 1
  "$@"
  kill "$load"
  wait "$load" 2>/dev/null || true
}

# Sets the priority of everything but the writers: rr 10, or other 0 to reset it. Ignores processes that have ended.
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

# Twenty-five changes a second leave the cores free. With sixteen workflows each, and 14 s until an answer, they would need
# 5 600 places; a worker has 1 024.
beside_slow_endpoints() { # COMMAND…
  sql -c "update workflows set is_active = guid::text = any (string_to_array('$slow_workflows', ' ')) where business_id = '$loud_business'"
  curl -sS "http://127.0.0.1:$loud_receiver/delay?ms=14000" >/dev/null
  while_changing 1 "$work/loud.pgbench" eval "sleep 5; $*"
  curl -sS "http://127.0.0.1:$loud_receiver/delay?ms=0" >/dev/null
  sql -c "update workflows set is_active = guid = '$loud_workflow' where business_id = '$loud_business'"
  sql -c "delete from run_queue where business_id = '$loud_business'"
  settled
}

customers_csv() { # FILE_NUMBER
  awk -v file="$1" 'BEGIN { print "name,email,company,street,city,country"
    for (i = 0; i < 20000; ++i) printf "Customer %d,c%d.%d@example.com,Company %d,%d Main Street,City %d,DE\r\n", i, file, i, i % 500, i % 200, i % 300 }'
}

# Confirms sixteen files of 20 000 new customers at once. A refused confirmation is sent again.
beside_confirmations() { # COMMAND…
  local uploads=() confirmations=() started i
  for ((i = 0; i < 16; ++i)); do
    uploads+=("$(customers_csv "$i" | curl -sS --fail-with-body -H "Authorization: Bearer $loud_token" \
      -F 'file=@-;filename=customers.csv;type=text/csv' "http://127.0.0.1:$api/api/v1/Customers/upload" | jq -r .data)")
  done
  started=$(date +%s%N)
  for i in "${uploads[@]}"; do
    until curl -s --fail -o /dev/null -X POST -H "Authorization: Bearer $loud_token" \
      "http://127.0.0.1:$api/api/v1/Customers/confirm-upload?guid=$i"; do sleep 0.2; done &
    confirmations+=("$!") pids+=("$!")
  done
  "$@"
  wait "${confirmations[@]}"
  record confirmations_seconds "$(awk -v ns=$(($(date +%s%N) - started)) 'BEGIN { printf "%.1f", ns / 1e9 }')"
  settled
  sql -c 'set session_replication_role = replica' -c "delete from customers where business_id = '$loud_business'" -c 'vacuum analyze customers'
}

# Ten webhooks for each of 10 000 orders, as the steps of one workflow.
beside_steps() { # COMMAND…
  sql -c "update workflows set is_active = guid = '$steps_workflow' where business_id = '$loud_business'"
  sql -c "update orders set status = 'ready' where business_id = '$loud_business' and guid in (
    select guid from orders where business_id = '$loud_business' order by guid limit 10000)"
  "$@"
  sql -c "update workflows set is_active = guid = '$loud_workflow' where business_id = '$loud_business'"
  sql -c "delete from run_queue where business_id = '$loud_business'"
  settled
  sql -c 'set session_replication_role = replica' -c "update orders set status = 'pending' where business_id = '$loud_business'"
}

# Prints the definition of a webhook workflow for every change of the loud business's orders.
loud_definition() { # [TEMPLATE]
  jq -n --arg trigger "$(trigger_guid order_updated)" --arg url "http://127.0.0.1:$loud_receiver/hook" --arg template "${1:-}" \
    '{name: "every change", entityType: "Order", triggerId: $trigger,
      action: ({type: "webhook", recipient: $url} + if $template == "" then {} else {template: $template} end)}'
}

# A list that is nested six times over an order of forty items: four thousand million repetitions.
beside_nested_templates() { # COMMAND…
  sql -c "update workflows set is_active = guid::text = any (string_to_array('$nested_workflows', ' ')) where business_id = '$loud_business'"
  "$pg_bin/pgbench" -n -M prepared -c 1 -R 25 -T 600 -f "$work/nested.pgbench" >/dev/null 2>&1 &
  local load=$!
  sleep 1
  "$@"
  kill "$load"
  wait "$load" 2>/dev/null || true
  sql -c "update workflows set is_active = guid = '$loud_workflow' where business_id = '$loud_business'"
  settled
  [ "$(sql -c "select exists (select from runs where business_id = '$loud_business' and code = 'PAYLOAD_TOO_LARGE')")" = t ] ||
    die "no template was rendered"
}

# An order of 600 kB that fires 1 500 webhooks, and the peak memory of the new process that sends them. Its business has no
# other events: each new workflow is tried on those of a week.
beside_a_fan_out() { # COMMAND…
  local count=1500 fan_token fan_business order=00000000-0000-4000-c000-000000000001
  switch_off_workflows
  fan_token=$("$waybill" token create --database-url "$database_url" --business 'Fan out' --plan unlimited)
  fan_business=$(sql -c "select guid from businesses where name = 'Fan out'")
  loud_definition >"$work/workflow.json"
  curl -sS --fail-with-body -o /dev/null -X POST -H "Authorization: Bearer $fan_token" -H 'Content-Type: application/json' \
    -d "@$work/workflow.json" "http://127.0.0.1:$api/api/workflows/configure#[1-$count]"
  sql -c "update workflows set is_active = true where guid = '$quiet_workflow'"
  sql -c "insert into orders (business_id, guid, order_number) values ('$fan_business', '$order', 'F-1')"
  sql -c "update orders set items = jsonb_build_array(jsonb_build_object('guid', gen_random_uuid(), 'quantity', 1, 'price', 1,
    'description', (select string_agg(md5(n::text), '') from generate_series(1, 18750) n))) where business_id = '$fan_business'"
  "$@"
  until [ "$(sql -c "select count(*) from runs where business_id = '$fan_business' and status = 'succeeded' and length(body) > 600000")" = $count ]; do sleep 0.2; done
  record fan_out_peak "$(awk '/^VmHWM/ { printf "%.1f", $2 / 1024 }' "/proc/$waybill_pid/status")"
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
quiet_workflow=$(make_workflow quiet '{"status": {"in": ["pending", "processing"]}}')
quiet_token=$token quiet_business=$business
# The loud business is in the shard of the quiet one, so that the worker reads their events in one sequence.
business=
for ((i = 0; i < 200; ++i)); do
  token=$("$waybill" token create --database-url "$database_url" --business "Loud $i" --plan unlimited)
  business=$(sql -c "select guid from businesses where name = 'Loud $i' and shard_of(guid) = shard_of('$quiet_business')")
  [ -z "$business" ] || break
done
[ -n "$business" ] || die "none of 200 businesses is in the shard of the quiet one"
sql -c "set session_replication_role = replica" -c "insert into orders (business_id, guid, order_number, status, customer_id, items, delivery_street, delivery_city, total_value)
  select '$business', ('00000000-0000-4000-b000-' || 100000000000 + n)::uuid, 'L-' || n, 'pending', null, '[]', 'Main Street 1', 'City', 20 from generate_series(1, $orders) n" -c "vacuum analyze orders"
loud_workflow=$(make_workflow loud '{"status": {"in": ["pending", "processing"]}}' "http://127.0.0.1:$loud_receiver/hook")
slow_workflows=
for ((i = 1; i <= 16; ++i)); do
  slow_workflows+="${slow_workflows:+ }$(make_workflow "slow $i" '{"status": {"in": ["pending", "processing"]}}' "http://127.0.0.$i:$loud_receiver/hook")"
done
sql -c "update workflows set is_active = false where guid::text = any (string_to_array('$slow_workflows', ' '))"
# Statements of many changes, which find their orders by key. With one commit for each change, the commits rather than the
# worker would load the machine.
changes_of() { # ORDERS FILE
  printf '%s\n' "\\set n $1 * random(0, $orders / $1 - 1)" \
    "update orders set status = case status when 'pending' then 'processing' else 'pending' end where business_id = '$business' and guid = any (array(select ('00000000-0000-4000-b000-' || 100000000000 + k)::uuid from generate_series(:n + 1, :n + $1) k))" >"$2"
}
changes_of 25 "$work/loud.pgbench"
sed 's/update orders/update unwatched_orders/' "$work/loud.pgbench" >"$work/unwatched.pgbench"
sql -c "create table unwatched_orders (like orders including all excluding constraints)" \
  -c "insert into unwatched_orders select * from orders where business_id = '$business'" -c "vacuum analyze unwatched_orders"
changes_of 100 "$work/half.pgbench"
nested_workflows=
opened=$(printf '{{#items}}%.0s' {1..6}) closed=$(printf '{{/items}}%.0s' {1..6})
for ((i = 1; i <= 8; ++i)); do
  nested_workflows+="${nested_workflows:+ }$(api_call POST /api/workflows/configure "$(loud_definition "$opened$closed{}")" | jq -r .data.guid)"
done
steps_workflow=$(make_steps '{"status": "ready"}' "http://127.0.0.1:$loud_receiver/hook")
sql -c "update workflows set is_active = false where guid::text = any (string_to_array('$nested_workflows $steps_workflow', ' '))"
large_order=00000000-0000-4000-b000-100000000001
sql -c "set session_replication_role = replica" -c "update orders set items = (select jsonb_agg(jsonb_build_object(
  'guid', gen_random_uuid(), 'description', 'x', 'quantity', 1, 'price', 1)) from generate_series(1, 40)) where guid = '$large_order'"
printf '%s\n' '\set n random(1, 1000000000)' "update orders set notes = :n where business_id = '$business' and guid = '$large_order'" >"$work/nested.pgbench"
loud_business=$business loud_token=$token token=$quiet_token business=$quiet_business
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
  beside_confirmations quiet confirmations
  beside_nested_templates quiet nested
  beside_steps quiet steps
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
start_waybill up --workflows-per-business 2000 --workflows-per-trigger 2000
beside_a_fan_out quiet fan_out
stop_waybill
stop "$quiet_pid"
stop "$receiver_pid"
