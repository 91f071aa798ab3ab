# The cost of a million waiting timers for due ones: the time PostgreSQL takes for one claim of 50 000 due timers, with nothing
# else in the table and with the million in it.
due=50000
waiting=1000000

# Adds timers in all shards, due at the time DUE_AFTER from now. add_timers COUNT DUE_AFTER
add_timers() {
  sql -v workflow="$workflow" -v count="$1" -v due="$2" <<'SQL'
insert into timers (business_id, workflow_id, entity_id, shard, plan, value, due_at, check_at, event_id)
select :'business', :'workflow', gen_random_uuid(), n % 16, 1, now(), due.at, due.at, 0
from generate_series(1, :count) n, lateral (select now() + :'due'::interval - n * interval '10 microseconds' as at) due;
SQL
  sql -c 'vacuum analyze timers' -c checkpoint
}

# Measures the product's own statement and rolls it back.
claim_times() { # NAME
  {
    echo 'begin;'
    sed -e '/^--/d' -e "s/\$1::smallint\[\]/'{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15}'::smallint[]/" \
      -e "s/\$2::bigint/16/" <(cd "$sources/storage/sql/timers" &&
        sed -e '/\\ir answer.inc/{r answer.inc
d}' claim.sql)
    echo ';'
    echo 'rollback;'
  } >"$work/claim.pgbench"
  "$pg_bin/pgbench" -n -M prepared -c 1 -t 2000 -f "$work/claim.pgbench" -l --log-prefix="$work/claim" >/dev/null 2>"$work/claim.err" ||
    die "claims: $(cat "$work/claim.err")"
  # The third column is in microseconds.
  record "$1_claim_p99" "$(cat "$work"/claim.[0-9]* | sort -n -k3 | awk '{ t[NR] = $3 } END { printf "%.3f", t[int(NR * 0.99)] / 1000 }')"
  rm -f "$work"/claim.[0-9]*
}

switch_off_workflows
workflow=$(sql -c "insert into workflows (business_id, name, entity_type, trigger_code, action, is_active)
  values ('$business', 'timers', 0, 'order_status_changed', '{\"type\": \"nothing\"}', false) returning guid")
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  add_timers $due 0
  claim_times empty
  say "  writing $waiting waiting timers"
  add_timers $waiting '1 day'
  claim_times full
  sql -c 'truncate timers'
done
