#!/usr/bin/env bash
# Runs the benchmark of waybill and other programs, on a separate cluster with the settings of `waybill up`. Prints the
# results and writes them to bench/results.md. `./dev bench` calls it.
#   bench/run.sh [latency|tls|throughput|reads|lists|shipments|memory|writers|changes|queue|waiting|blocked|timers|steps|actions|fairness|import|carriers|console|api|lists-million|changes-million|directus|history]…
# Without a part it runs all but `carriers` (a Karrio), `console` (Chromium, a million orders and runs), `api`, `lists-million`, `changes-million` and `directus` (a million orders) and `history` (ten million runs).
# BENCH_BUILD is the build folder, BENCH_REPETITIONS the number of repetitions (3), BENCH_SECONDS the length of one
# measurement of a rate (5).
set -Eeuo pipefail
export LC_ALL=C.UTF-8

bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${BENCH_BUILD:-$bench/../build}
waybill=$build/waybill
# shellcheck source=lib.sh
. "$bench/lib.sh"
trap stop_all EXIT
trap 'exit 130' INT TERM
trap 'say "bench: ${BASH_SOURCE[0]}:$LINENO failed"' ERR

for program in curl jq npm psql setpriv wrk; do
  command -v "$program" >/dev/null || die "$program is not installed; ./dev bench installs what is missing"
done
# Node.js comes with the npm packages of the peers; npm comes from the machine.
installed=$bench/peers/node_modules/.installed-lock.json
if ! cmp -s "$bench/peers/package-lock.json" "$installed"; then
  (cd "$bench/peers" && npm ci --no-audit --no-fund --silent >&2 && cp package-lock.json "$installed")
fi
node=$bench/peers/node_modules/.bin/node

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(memory latency tls throughput reads lists shipments writers changes queue waiting blocked timers digests steps actions fairness import)
for part in "${parts[@]}"; do
  [ -r "$bench/parts/$part.sh" ] || die "there is no part \"$part\"; the parts are latency, tls, throughput, reads, lists, shipments, memory, writers, changes, queue, waiting, blocked, timers, digests, steps, actions, fairness, import, carriers, console, api, lists-million, changes-million, directus, history"
done

start_cluster
make_data Bench 100000 '{pending}'
shared_data=("$token" "$business" "$orders")
"$build/waybill" version >"$work/waybill-version"
sql -F '=' -c "select name, current_setting(name) from unnest(array['server_version', 'fsync', 'synchronous_commit',
  'full_page_writes', 'wal_compression', 'shared_buffers', 'max_wal_size', 'max_connections']) name" >"$work/settings"
for part in "${parts[@]}"; do
  say "$part"
  : >"$samples"
  # The previous part may have used a business of its own.
  token=${shared_data[0]} business=${shared_data[1]} orders=${shared_data[2]}
  # shellcheck disable=SC1090
  . "$bench/parts/$part.sh"
  "$node" "$bench/report.mjs" "$part" "$work" "$bench/results.md"
done
