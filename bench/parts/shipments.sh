# The public page of a shipment compared with GET of an order by id, and 10 000 scans in ten requests.
seconds=${BENCH_SECONDS:-5}

load() { # NAME TARGET
  TARGET=$2 TOKEN=$token record_load "$1" wrk_tracking.lua "$api" 64
}

# Each request has a scan of each of a thousand shipments. make_scans REPETITION
make_scans() {
  local request
  for ((request = 0; request < 10; ++request)); do
    jq -n --argjson first $((request * 1000 + 1)) --arg scan "$1" \
      '[range($first; $first + 1000) | {trackingNumber: ("WB" + ("00000000\(.)"[-9:])), status: "in_transit",
        description: "Sorted \($scan)", location: "Hub", externalId: "scan-\($scan)"}]' >"$work/scans-$request.json"
  done
}

scan() {
  local request
  for ((request = 0; request < 10; ++request)); do
    curl -sS --fail-with-body -X POST -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
      -d "@$work/scans-$request.json" -o "$work/scanned-$request.json" -w '%{time_total}\n' \
      "http://127.0.0.1:$api/api/v1/traces" || die "$1 failed"
  done >"$work/scan-seconds"
  [ "$(jq '.. | objects | select(has("moved"))' "$work"/scanned-*.json | jq -s length)" = 10000 ] ||
    die "$1: scans were refused"
  record "$1" "$(awk '{ sum += $1 } END { print 1000 * sum }' "$work/scan-seconds")"
}

sql -f "$bench/sql/shipments.sql"
start_waybill api --trusted-proxy 127.0.0.1
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  load get '/api/v1/Orders/{order}'
  load page '/track/{token}'
  load page_json '/track/{token}.json'
done
make_scans move
scan scans_move
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  make_scans "$repetition"
  scan scans
done
stop_waybill
