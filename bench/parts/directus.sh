# Directus with the orders of the part `api`, which must be part of the same run: one order with its customer, and a page
# of 50 with the count of matching orders.
seconds=${BENCH_SECONDS:-5}
directus=$bench/peers/directus
[ "$(psql -qAtX -c "select exists (select from businesses where name = 'Bench 0')")" = t ] || die 'the part directus needs the part api before it'
if ! cmp -s "$directus/package-lock.json" "$directus/node_modules/.installed-lock.json"; then
  (cd "$directus" && npm ci --ignore-scripts --no-audit --no-fund --silent >&2 && cp package-lock.json node_modules/.installed-lock.json)
fi
# Sandboxed scripts are not measured, so their compiled module is not built.
echo 'module.exports = {};' >"$directus/node_modules/isolated-vm/isolated-vm.js"

many_orders=${BENCH_ORDERS:-1000000}
businesses=200
createdb directus
directus_port=$("$node" -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
directus_environment=(DB_CLIENT=pg "DB_HOST=$PGHOST" DB_PORT=5432 DB_DATABASE=directus "DB_USER=$PGUSER" DB_PASSWORD=none
  SECRET=0123456789abcdef0123456789abcdef KEY=bench ADMIN_EMAIL=admin@example.com ADMIN_PASSWORD=benchbench ADMIN_TOKEN=benchtoken
  HOST=127.0.0.1 "PORT=$directus_port" "PUBLIC_URL=http://127.0.0.1:$directus_port" TELEMETRY=false LOG_LEVEL=error
  RATE_LIMITER_ENABLED=false CACHE_ENABLED=false NODE_ENV=production WEBSOCKETS_ENABLED=false)
in_directus() { (cd "$directus" && exec env "${directus_environment[@]}" "$node" node_modules/directus/cli.js "$@"); }

say '  copying the orders'
in_directus bootstrap >"$work/directus-bootstrap.log" 2>&1 || die "Directus does not start: $(tail -n 5 "$work/directus-bootstrap.log")"
PGDATABASE=directus psql -qAtX -v ON_ERROR_STOP=1 -f "$bench/sql/directus.sql"
copy_into() { # TABLE COLUMNS
  psql -qAtX -c "copy (select distinct on (guid) $2 from $1 where business_id >= '00000000-0000-4000-b000-100000000000' and business_id < '00000000-0000-4000-b001-000000000000') to stdout" |
    PGDATABASE=directus psql -qAtX -v ON_ERROR_STOP=1 -c "copy $1 ($2) from stdin"
}
copy_into customers 'guid, name, email'
copy_into orders 'guid, business_id, order_number, status, customer_id, items, delivery_street, delivery_city, delivery_state, delivery_postal_code, delivery_country, carrier_id, service_level, total_value, currency, collection_date, notes, created_at, updated_at'
PGDATABASE=directus psql -qAtX -c 'create index on orders (business_id, created_at, guid)' -c 'vacuum analyze'

start directus env -C "$directus" "${directus_environment[@]}" "$node" node_modules/directus/cli.js start
directus_pid=$started
deadline=$((SECONDS + 60))
until curl -sf -o /dev/null "http://127.0.0.1:$directus_port/server/ping"; do
  [ $SECONDS -lt $deadline ] || die "Directus does not answer: $(tail -n 5 "$work/directus.log")"
  sleep 0.2
done

many() { # NAME PORT TARGET [TOKEN]
  TARGET=$3 TOKEN=${4:-} ORDERS=$many_orders BUSINESSES=$businesses record_load "$1" wrk_many.lua "$2" 64
}

start_waybill api
# Directus reads the schema with its first requests.
for ((i = 0; i < 50; ++i)); do
  curl -sSg --fail-with-body -o /dev/null -H 'Authorization: Bearer benchtoken' "http://127.0.0.1:$directus_port/items/orders?limit=50&meta=filter_count"
done
relation='customer_id.guid,customer_id.name,customer_id.email'
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  many get "$api" '/api/v1/Orders/{order}'
  many get_directus "$directus_port" "/items/orders/{order}?fields=*,$relation" benchtoken
  many list "$api" '/api/v1/Orders?Page={page}&PageSize=50'
  many list_directus "$directus_port" "/items/orders?limit=50&page={page}&meta=filter_count&filter%5Bbusiness_id%5D%5B_eq%5D={business}&sort=-created_at,-guid&fields=*,$relation" benchtoken
done
stop "$directus_pid"
stop_waybill
