# The console in Chromium: the rows of a million orders (BENCH_ORDERS) and a million runs (BENCH_RUNS) after a click, a search
# for one order, and the first rows over a link with a round trip of 300 ms.
make_data "Console" "${BENCH_ORDERS:-1000000}" '{pending,pending,processing,ready,shipped,delivered,delivered,cancelled}'
if [ "$(sql -c "select exists (select from runs where business_id = '$business')")" = f ]; then
  say "  writing ${BENCH_RUNS:-1000000} runs"
  sql -v runs="${BENCH_RUNS:-1000000}" -f "$bench/sql/history.sql"
fi
sql -c checkpoint
start_waybill api
link=$("$waybill" console-link --business Console --role owner --public-url "http://127.0.0.1:$api" \
  --database-url "$database_url" | grep -m 1 '^http')
while read -r name value; do
  record "$name" "$value"
done < <("$node" "$bench/console.mjs" "$repetitions" "$link" ORD-0004711)
[ -s "$samples" ] || die "the console could not be measured"
stop_waybill
