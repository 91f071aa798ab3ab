# A business's runs, of which there are BENCH_RUNS (10 000 000): their list, overview and statistics of the workflows, and
# `explain` of one order. One request at a time: each figure is the p50 or p99 of the requests of BENCH_SECONDS (3).
# Requests of the list take one of the first twenty pages.
runs=${BENCH_RUNS:-10000000}
seconds=${BENCH_SECONDS:-3}

measure() { # NAME SCRIPT
  record_load "$1" "$2" "$api" 1
}

ask() { # NAME QUERY
  QUERY=$2 measure "$1" wrk_runs.lua
}

get() { # NAME PATH
  TARGET=$2 measure "$1" wrk_get.lua
}

say "  writing $runs runs"
sql -v runs="$runs" -f "$bench/sql/history.sql"
sql -c checkpoint
start_waybill api
workflow() { printf '00000000-0000-4000-c000-%d' $((100000000000 + $1)); }
export TOKEN=$token
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  ask all ''
  ask workflow "&workflowId=$(workflow 1)"
  ask rare "&workflowId=$(workflow 49)"
  ask once "&workflowId=$(workflow 50)"
  ask dead '&status=dead'
  ask dead_rare "&status=dead&workflowId=$(workflow 49)"
  ask day "&from=$(date -u -d '10 days ago' +%F)&to=$(date -u -d '10 days ago' +%F)"
  ask hours "&from=$(date -u -d '10 days ago' +%FT06:00:00Z)&to=$(date -u -d '9 days ago' +%FT06:00:00Z)"
  ask entity '&entityId=00000000-0000-4000-8000-100000000007'
  get overview /api/workflows/overview
  get stats "/api/workflows/stats?step=PT1H&from=$(date -u -d '30 days ago' +%FT%H:00:00Z)"
  get explain '/api/workflows/explain?entityId=00000000-0000-4000-8000-100000000007'
done
stop_waybill
