# A store's first import: orders a second from a store that answers at once, with the event triggers, and the growth of the
# process.
store_orders=10000

# Waits until a run is finished and prints its seconds, by waybill's own times.
run_seconds() { # RUN
  local deadline=$((SECONDS + 120)) seconds
  until seconds=$(sql -c "select extract(epoch from finished_at - started_at) from integration_runs
                          where guid = '$1' and finished_at is not null" | grep .); do
    [ $SECONDS -lt $deadline ] || die "the run $1 is not finished"
    sleep 0.05
  done
  printf '%s\n' "$seconds"
}

import_once() {
  local provider integration run grown_from seconds
  start store "$node" "$bench/store.mjs" "$store_orders"
  local store_pid=$started port
  port=$(await store '^listening on' | grep -oE '[0-9]+$')
  provider=$(api_call GET /api/integrations/providers | jq -r '.data[] | select(.code == "woocommerce").guid')
  integration=$(api_call POST /api/integrations/provider/configure "$(jq -n --arg provider "$provider" --arg port "$port" \
    '{providerId: $provider, providerType: "ecommerce",
      credentials: {apiKey: "ck_bench", apiSecret: "cs_bench", storeUrl: "http://127.0.0.1:\($port)"},
      settings: {autoImportOrders: false, syncProducts: false, pushTracking: false}}')" | jq -r .data.guid)
  grown_from=$(rss_mb "$waybill_pid")
  run=$(api_call POST "/api/integrations/$integration/sync" | jq -r .data.runId)
  seconds=$(run_seconds "$run")
  [ "$(sql -c "select count(*) from orders where integration_id = '$integration'")" = "$store_orders" ] ||
    die "not every order was imported"
  record import "$(awk -v n="$store_orders" -v s="$seconds" 'BEGIN { printf "%.0f", n / s }')"
  record import_growth "$(awk -v from="$grown_from" -v to="$(rss_mb "$waybill_pid")" 'BEGIN { printf "%.1f", to - from }')"
  api_call DELETE "/api/integrations/providers/ecommerce/remove/$integration" >/dev/null
  stop "$store_pid"
}

switch_off_workflows
start_waybill up
for ((repetition = 0; repetition < repetitions; ++repetition)); do import_once; done
stop_waybill
