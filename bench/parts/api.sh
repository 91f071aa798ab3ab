# The API with BENCH_ORDERS (1 000 000) orders of 200 businesses: reads compared with pgbench and Fastify, lists with
# filters and searches, positions, and a CSV of 100 000 customers.
seconds=${BENCH_SECONDS:-5}
many_orders=${BENCH_ORDERS:-1000000}
businesses=200

many() { # NAME PORT CONNECTIONS TARGET [BATCH]
  TARGET=$4 ORDERS=$many_orders BUSINESSES=$businesses BATCH=${5:-0} record_load "$1" wrk_many.lua "$2" "$3"
}

many_get_script() {
  printf '%s\n' "\\set n random(1, $many_orders)" "\\set k least($businesses, int(exp(double(:n * 2654435761 % 4294967296) / 4294967296 * ln($businesses + 1.0)))) - 1"
  sed -e '/^--/d' -e "/^\\\\ir /{s#^\\\\ir ##;s#^#cat '$bench/../storage/sql/orders/#;s#\$#'#;e
  }" "$bench/../storage/sql/orders/get.sql" |
    sed "s/\\\$1/('00000000-0000-4000-b000-' || 100000000000 + :k)::uuid/; s/\\\$2/('00000000-0000-4000-8000-' || 100000000000 + :n)::uuid/"
}

# Uploads and confirms customers; records the seconds and the growth of the process.
upload_customers() {
  local csv=$work/customers.csv started grown_from guid
  awk 'BEGIN { print "name,email,phone,company,street,city,state,postalCode,country"
    for (i = 0; i < 100000; ++i) printf "Customer %d,uploaded%d@example.com,+49 30 %d,Company %d,%d Main Street,City %d,,10115,DE\r\n", i, i, i, i % 500, i % 200, i % 300 }' >"$csv"
  grown_from=$(awk '/^VmHWM/ { print $2 }' "/proc/$waybill_pid/status")
  started=$(date +%s%N)
  guid=$(curl -sS --fail-with-body -H "Authorization: Bearer $token" -F "file=@$csv;type=text/csv" \
    "http://127.0.0.1:$api/api/v1/Customers/upload" | jq -r .data)
  curl -sS --fail-with-body --max-time 60 -X POST -H "Authorization: Bearer $token" \
    "http://127.0.0.1:$api/api/v1/Customers/confirm-upload?guid=$guid" >/dev/null
  record upload_seconds "$(awk -v ns=$(($(date +%s%N) - started)) 'BEGIN { printf "%.2f", ns / 1e9 }')"
  record upload_growth "$(awk -v from="$grown_from" '/^VmHWM/ { printf "%.1f", ($2 - from) / 1024 }' "/proc/$waybill_pid/status")"
}

say "  writing $many_orders orders"
psql -qAtX -v ON_ERROR_STOP=1 -v orders="$many_orders" -v businesses="$businesses" -f "$bench/sql/million.sql"
many_get_script >"$work/many-get.pgbench"
start_waybill api
start_fastify
sql -c checkpoint
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  many get "$api" 64 '/api/v1/Orders/{order}'
  record get_pgbench "$(transactions -c 16 -f "$work/many-get.pgbench")"
  many get_fastify "$fastify" 64 '/api/v1/Orders/{order}'
  many list "$api" 64 '/api/v1/Orders?Page={page}&PageSize=50'
  many list_fastify "$fastify" 64 '/api/v1/Orders?Page={page}&PageSize=50'
  many search "$api" 16 '/api/v1/Orders?$search={word}&$orderby=createdAt%20desc'
  many short "$api" 16 '/api/v1/Orders?$search={short}&$orderby=createdAt%20desc'
  # Waits for the last statements, which continue without their clients.
  until [ "$(sql -c "select not exists (select from pg_stat_activity where state = 'active' and pid <> pg_backend_pid())")" = t ]; do sleep 0.1; done
  many status "$api" 16 '/api/v1/Orders?$filter=status%20eq%20%27{status}%27&$orderby=createdAt%20desc'
  many customer "$api" 16 '/api/v1/Orders?$filter=customer/guid%20eq%20{customer}&$orderby=createdAt%20desc'
  many batches "$api" 8 '/api/tracking/positions' 100
done
upload_customers
stop "$fastify_pid"
stop_waybill
