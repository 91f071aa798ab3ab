# Webhooks to `https:` URLs: the rate, as for `http:`, with HTTP/1.1 and HTTP/2; the time to the first byte; and a thousand
# destinations. One HAProxy ends TLS for all programs.
# shellcheck source=../deliveries.sh
. "$bench/deliveries.sh"
destinations=1000
seconds=${BENCH_SECONDS:-5}

# Ports on loopback on which nothing listens, the first of a row of COUNT. free_ports COUNT
free_ports() {
  local first=20000
  while ss -Htln | awk -v first="$first" -v count="$1" '{ n = split($4, part, ":"); port = part[n] }
      port >= first && port < first + count { used = 1 } END { exit !used }'; do
    first=$((first + $1))
    [ $((first + $1)) -lt 32768 ] || die "$1 ports in a row are not free"
  done
  echo "$first"
}

# HAProxy before the receiver: three URLs without TLS, with HTTP/1.1 and with HTTP/2, and then a port for each destination.
start_terminator() {
  local first
  first=$(free_ports $((destinations + 3)))
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=bench -addext 'subjectAltName=IP:127.0.0.1' \
    -keyout "$work/tls.key" -out "$work/tls.crt" 2>"$work/openssl.log" || die "openssl: $(cat "$work/openssl.log")"
  cat "$work/tls.crt" "$work/tls.key" >"$work/tls.pem"
  cat >"$work/haproxy.cfg" <<END
global
  nbthread 1
  maxconn 4000
  ssl-default-bind-options ssl-min-ver TLSv1.3
defaults
  mode http
  http-reuse always
  timeout connect 10s
  timeout client 600s
  timeout server 600s
  timeout http-keep-alive 600s
frontend receiver
  bind 127.0.0.1:$first
  bind 127.0.0.1:$((first + 1)) ssl crt $work/tls.pem alpn http/1.1
  bind 127.0.0.1:$((first + 2)) ssl crt $work/tls.pem alpn h2,http/1.1
  bind 127.0.0.1:$((first + 3))-$((first + 2 + destinations)) ssl crt $work/tls.pem alpn http/1.1
  default_backend receiver
backend receiver
  server receiver 127.0.0.1:$receiver pool-max-conn -1
END
  start haproxy haproxy -db -f "$work/haproxy.cfg"
  terminator_pid=$started
  urls=("http://127.0.0.1:$first" "https://127.0.0.1:$((first + 1))" "https://127.0.0.1:$((first + 2))")
  first_destination=$((first + 3))
  until curl -s -o /dev/null --cacert "$work/tls.crt" "${urls[2]}/count"; do
    kill -0 "$terminator_pid" 2>/dev/null || die "HAProxy did not start: $(cat "$work/haproxy.log")"
    sleep 0.05
  done
  export SSL_CERT_FILE=$work/tls.crt NODE_EXTRA_CA_CERTS=$work/tls.crt # for the peers
}

# A repetition of waybill and its peers with one of the URLs. rates NAME INDEX
rates() {
  local receiver_url=${urls[$2]}
  switch "${workflows[$2]}" true
  waybill_sql "$1"
  switch "${workflows[$2]}" false
  if start_river 1; then
    river_sql "river_$1" "$orders"
    stop "$peer_pid"
  fi
  if with_peers; then
    HTTP2=$(($2 == 2)) start_peer_worker
    peer_sql "graphile_$1"
    stop "$peer_pid"
  fi
}

latency() { # NAME INDEX
  reset_orders
  switch "${workflows[$2]}" true
  api_latency "latency_$1" 500 5000
  switch "${workflows[$2]}" false
}

# Creates a thousand workflows that send to one destination, and a thousand that send to one each, by one connection.
make_many_workflows() {
  jq -rn --argjson conditions "$condition" --arg trigger "$(trigger_guid order_status_changed)" --argjson count "$destinations" \
    --argjson port "$first_destination" --arg url "http://127.0.0.1:$api/api/workflows/configure" --arg token "$token" '
    range($count) as $i | [["one", 0], ["each", $i]][] as [$name, $place] |
    {name: "\($name) \($i)", entityType: "Order", triggerId: $trigger, conditions: $conditions,
      action: {type: "webhook", recipient: "https://127.0.0.1:\($port + $place)/hook"}} |
    "url = \($url)", "header = \("Authorization: Bearer " + $token | tojson)", "header = \"Content-Type: application/json\"",
    "data = \(tojson | tojson)", "output = /dev/null", "fail", "next"' | sed '$d' >"$work/workflows.curl"
  curl -sS --fail-early -K "$work/workflows.curl" || die 'the workflows were not made'
}

# The CPU time of a second in which a thousand workflows send one webhook each. spread NAME WORKFLOW_LIKE
spread() {
  local i before
  sql -c "update workflows set is_active = true, active_since = now() where name like '$2'"
  until [ "$(sql -c "select count(*) from workflows where is_active")" = "$destinations" ]; do sleep 0.05; done
  change_one_order # opens the connections
  before=$(cpu_ms "$waybill_pid")
  for ((i = 0; i < seconds; ++i)); do
    change_one_order
    sleep 1
  done
  record "$1" "$(awk -v ms=$(($(cpu_ms "$waybill_pid") - before)) -v n="$seconds" 'BEGIN { printf "%.1f", ms / n }')"
  switch_off_workflows
}

change_one_order() {
  control reset >/dev/null
  sql -c "update orders set status = case status when 'pending' then 'processing' else 'pending' end
    where business_id = '$business' and guid = '00000000-0000-4000-8000-100000000001'"
  control "wait?count=$destinations" 60 >/dev/null || die "only $(control count) webhooks arrived"
}

switch_off_workflows
start_receiver
start_terminator
start_waybill up --ca-file "$work/tls.crt" --workflows-per-business $((2 * destinations + 100)) \
  --workflows-per-trigger $((2 * destinations + 100)) --workflow-bytes-per-business $((64 << 20))
workflows=()
for url in "${urls[@]}"; do
  workflows+=("$(make_workflow tls "$condition" "$url/hook")")
  switch "${workflows[-1]}" false
done
names=(http https http2)
# The first run warms all up and measures the size of a body; it is not counted.
mv "$samples" "$samples.kept"
rates warm_up 1
mv "$samples.kept" "$samples"
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  for i in 0 1 2; do
    rates "${names[i]}" "$i"
    latency "${names[i]}" "$i"
  done
done
make_many_workflows
switch_off_workflows
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  spread one_destination 'one %'
  spread all_destinations 'each %'
done
stop_waybill
stop "$terminator_pid"
stop "$receiver_pid"
unset SSL_CERT_FILE NODE_EXTRA_CA_CERTS
