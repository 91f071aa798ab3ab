# Purchases of labels through a real Karrio whose carrier answers at once: from the first request until all are bought. And the
# time from the commit of a change to the first byte at the receiver of another business, alone and while purchases wait for a
# gateway that never answers.
purchases=500
changes=1000
pause_us=5000
karrio_tests=$sources/tests/packages/karrio
karrio_cache=${XDG_CACHE_HOME:-$HOME/.cache}/waybill/karrio-2026.1.32

# Starts Karrio with one web process, as deploy/karrio does; sets $karrio_pid, its port $karrio and $karrio_token.
start_karrio() {
  "$karrio_tests/install"
  createdb karrio
  psql -qX -o /dev/null -v ON_ERROR_STOP=1 -d karrio -f "$karrio_cache/migrated.sql"
  mkdir -p "$work/karrio"
  start karrio env -C "$work/karrio" DJANGO_SETTINGS_MODULE=karrio_calls_once PYTHONPATH="$(realpath "$sources/deploy/karrio")" \
    ENABLE_ALL_PLUGINS_BY_DEFAULT=True SECRET_KEY=bench DEBUG_MODE=False ALLOWED_HOSTS='*' WORK_DIR="$work/karrio" \
    LOG_LEVEL=WARNING PERSIST_SDK_TRACING=False DATABASE_ENGINE=postgresql DATABASE_HOST="$PGHOST" DATABASE_NAME=karrio \
    DATABASE_USERNAME="$PGUSER" USER_RATE_LIMIT=1000000/minute CARRIER_REQUEST_RATE_LIMIT=1000000/minute \
    KARRIO_PLUGINS="$(realpath "$karrio_tests/plugins")" TESTCARRIER_URL="http://127.0.0.1:$carrier" \
    PYTHONPYCACHEPREFIX="$karrio_cache/pycache" \
    "$karrio_cache/venv/bin/python" -m uvicorn karrio.server.asgi:application --host 127.0.0.1 --port 0 --lifespan off \
    --no-access-log
  karrio_pid=$started
  karrio=$(await karrio 'Uvicorn running on' | grep -oE ':[0-9]+' | tail -n 1 | tr -d :)
  karrio_token=$(psql -qAtX -d karrio -c 'select key from user_token where not test_mode')
  curl -sS --fail-with-body -o /dev/null -H "Authorization: Token $karrio_token" -H 'Content-Type: application/json' \
    "http://127.0.0.1:$karrio/v1/connections" -d '{"carrier_name": "testcarrier", "carrier_id": "bench",
      "credentials": {"api_key": "bench", "account_number": "bench", "sends_once": true}}'
}

# Makes a business with a carrier at Karrio; sets $buyer, its guid, and $buyer_token.
make_buyer() { # NAME
  buyer_token=$("$waybill" token create --database-url "$database_url" --business "$1" --plan unlimited)
  buyer=$(psql -qAtX -c "select guid from businesses where name = '$1'")
  psql -qX -c "update businesses set street = '1 Quay', city = 'Bonn', postal_code = '53111', country = 'Germany' where guid = '$buyer'"
  local ups
  ups=$(psql -qAtX -c "select guid from carriers where code = 'ups' and business_id = catalogue_business()")
  (
    token=$buyer_token
    api_call POST /api/carriers/configure "$(jq -n --arg carrier "$ups" --arg url "http://127.0.0.1:$karrio" --arg key "$karrio_token" \
      '{carrierId: $carrier, connector: "karrio", apiUrl: $url, accountNumber: "bench", apiKey: $key,
        serviceCodes: {standard: "testcarrier_standard"}}')" >/dev/null
  )
}

# Adds shipments of the buyer, and requests a label for each, eight requests at a time.
request_labels() {
  psql -qAtX >"$work/shipments" <<SQL
insert into shipments (business_id, tracking_number, recipient_name, recipient_street, recipient_city, recipient_postal_code,
                       recipient_country, packages)
select '$buyer', 'B' || substr(gen_random_uuid()::text, 1, 18), 'Ada', '2 Street', 'Koeln', '50667', 'Germany', '[{"weight": 2}]'
from generate_series(1, $purchases)
returning guid;
SQL
  xargs -P 8 -I GUID curl -sS --fail-with-body --max-time 60 -o /dev/null -X POST -H "Authorization: Bearer $buyer_token" \
    -H 'Content-Type: application/json' -d '{"serviceLevel": "standard"}' "http://127.0.0.1:$api/api/v1/shipments/GUID/label" \
    <"$work/shipments"
}

measure_purchases() {
  local from until
  psql -qX -c "delete from purchases where business_id = '$buyer'"
  from=$(date +%s%N)
  request_labels
  until=$(moment_of "select count(*) = $purchases from purchases where business_id = '$buyer' and status = 'bought' and has_label")
  record bought "$(per_second $purchases "$from" "$until")"
  psql -qX -c "update purchases set next_at = null, claim_at = null where business_id = '$buyer'"
}

latency() { # NAME
  local lines
  mapfile -t lines < <("$build/bench_latency" sql "$receiver" "$changes" "$pause_us" \
    "update orders set status = case status when 'pending' then 'processing' else 'pending' end
     where business_id = '$business' and guid = ('00000000-0000-4000-8000-' || 100000000001 + \$1::bigint)::uuid")
  record_latency "$1" "${lines[@]}"
}

# Runs a command while the purchases of a second business wait for the gateway that hangs.
while_hanging() { # COMMAND…
  request_labels
  until [ "$(curl -sS "http://127.0.0.1:$carrier/held")" -ge 4 ]; do sleep 0.1; done
  "$@"
  psql -qX -c "delete from purchases where business_id = '$buyer'"
}

switch_off_workflows
start_receiver
start carrier "$node" "$bench/carrier.mjs"
carrier_pid=$started
carrier=$(await carrier '^listening on' | grep -oE '[0-9]+$')
hanging=$(await carrier '^hanging on' | grep -oE '[0-9]+$')
start_karrio
start_waybill up --carrier-gateway "http://127.0.0.1:$karrio" --carrier-gateway "http://127.0.0.1:$hanging"
make_workflow carriers '{"status": {"in": ["pending", "processing"]}, "totalValue": {"gte": 1}}' >/dev/null
make_buyer Buyer
for ((repetition = 0; repetition < repetitions; ++repetition)); do measure_purchases; done
make_buyer Waiting
psql -qX -c "update carrier_configurations set api_url = 'http://127.0.0.1:$hanging' where business_id = '$buyer'"
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  latency alone
  while_hanging latency beside
done
stop_waybill
stop "$karrio_pid"
stop "$carrier_pid"
stop "$receiver_pid"
dropdb karrio
