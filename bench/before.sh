#!/usr/bin/env bash
# Compares waybill with an earlier program, each on a cluster of its own: runs the parts of the benchmark without the other
# programs, the two in turn, and prints the medians, their spread, and the ratio of the medians. `./dev bench-before` calls it.
#   bench/before.sh TREE [PART]…
# TREE is a tree of the earlier program with its build folder. BENCH_REPETITIONS is the number of repetitions (5).
set -Eeuo pipefail
export LC_ALL=C.UTF-8 BENCH_PEERS=none
counted=${BENCH_REPETITIONS:-5}
BENCH_REPETITIONS=1

bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${BENCH_BUILD:-$bench/../build}
# shellcheck source=lib.sh
. "$bench/lib.sh"
[ $# -gt 0 ] || die 'the tree of the earlier program is missing'
declare -A tree=([before]=$(cd "$1" && pwd) [now]=$(cd "$bench/.." && pwd)) program=([before]=$1/build/waybill [now]=$build/waybill)
shift
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(throughput latency reads lists changes writers queue steps actions shipments)
for part in "${parts[@]}"; do
  [ -r "$bench/parts/$part.sh" ] || die "there is no part \"$part\""
done

root=$work
clusters=() # the servers of both
trap 'for postmaster in "${clusters[@]}"; do stop "$postmaster" INT; done; postmaster=; work=$root; stop_all' EXIT
trap 'exit 130' INT TERM
trap 'say "bench: ${BASH_SOURCE[0]}:$LINENO failed"' ERR

settings=(work waybill sources PGHOST postmaster database_url key_file token business orders)
declare -A kept

# Lets the functions of lib.sh work with one of the programs and its cluster. choose before|now
choose() {
  local name
  for name in "${settings[@]}"; do printf -v "$name" %s "${kept[$1.$name]}"; done
}

for side in before now; do
  work=$root/$side waybill=${program[$side]} sources=${tree[$side]}
  mkdir -m 711 -p "$work"
  chmod 711 "$root"
  samples=$work/samples.csv
  start_cluster
  clusters+=("$postmaster")
  make_data Bench 100000 '{pending}'
  for name in "${settings[@]}"; do kept[$side.$name]=${!name}; done
done

for part in "${parts[@]}"; do
  for ((turn = 0; turn < counted; ++turn)); do
    # Each of them is as often the first as the second.
    sides=(before now)
    [ $((turn % 2)) = 0 ] || sides=(now before)
    for side in "${sides[@]}"; do
      choose "$side"
      samples=$root/$part.$side.csv
      touch "$samples"
      say "$part, $side"
      # shellcheck disable=SC1090
      . "$bench/parts/$part.sh"
    done
  done
  printf '\n%s\n' "$part"
  awk -F, -v before="$root/$part.before.csv" '
    function middle(list, n,   i, j, t) {
      for (i = 2; i <= n; ++i) for (j = i; j > 1 && list[j - 1] > list[j]; --j) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
      return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
    }
    FILENAME == before { old[$1, ++olds[$1]] = $2; if (olds[$1] == 1) names[++count] = $1; next }
    { new[$1, ++news[$1]] = $2 }
    END {
      for (c = 1; c <= count; ++c) {
        name = names[c]
        for (i = 1; i <= olds[name]; ++i) a[i] = old[name, i] + 0
        for (i = 1; i <= news[name]; ++i) b[i] = new[name, i] + 0
        x = middle(a, olds[name]); y = middle(b, news[name])
        printf "%-28s before %10.4g (%.4g to %.4g)  now %10.4g (%.4g to %.4g)  ratio %s\n", name, x, a[1], a[olds[name]],
          y, b[1], b[news[name]], x == 0 ? "-" : sprintf("%.3f", y / x)
      }
    }' "$root/$part.before.csv" "$root/$part.now.csv"
done
