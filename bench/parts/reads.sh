# GET of an order and a list of fifty with totalCount, compared with pgbench with the same statements, and with Fastify
# and Go on the same tables.
seconds=${BENCH_SECONDS:-5}

# Prints a statement of storage/sql with its includes, as a pgbench script.
statement() { # FILE
  local folder line
  folder=$(dirname "$1")
  while IFS= read -r line; do
    case $line in
      '--'*) ;;
      '\ir '*) cat "$folder/${line#\\ir }" ;;
      *) printf '%s\n' "$line" ;;
    esac
  done <"$1"
}

make_scripts() {
  local folder=$sources/storage/sql/orders page
  {
    echo "\\set n random(1, $orders)"
    statement "$folder/get.sql" |
      sed "s/\\\$1/:business/; s/\\\$2/('00000000-0000-4000-8000-' || 100000000000 + :n)::uuid/"
  } >"$work/get.pgbench"
  # The pages are in the text, like in the API.
  for ((page = 0; page < 20; ++page)); do
    statement "$folder/list.sql" |
      sed "s/\\\$1/:business/g; s|/\\*page\\*/limit 50/\\*end\\*/|limit 50 offset $((page * 50))|" >"$work/list-$page.pgbench"
    list_scripts+=(-f "$work/list-$page.pgbench")
  done
}

floor() { # NAME SCRIPT…
  with_peers || return 0
  local name=$1
  shift
  record "$name" "$(transactions -c 16 "$@")"
}

load() { # NAME PORT TARGET
  [ -n "$2" ] || return 0
  TARGET=$3 TOKEN=$token record_load "$1" wrk.lua "$2" 64
}

# The fields of the peers' answer (peers/rest/get.sql).
answered=guid,orderNumber,status,customer/guid,customer/name,customer/email,items,deliveryAddress/street
answered+=,deliveryAddress/city,deliveryAddress/state,deliveryAddress/postalCode,deliveryAddress/country,carrier,serviceLevel
answered+=,shipments,totalValue,currency,collectionDate,timeWindow,notes,createdAt,updatedAt

list_scripts=()
make_scripts
start_waybill api
if with_peers; then start_fastify "$business"; else fastify=; fi
start_go "$business" || go=
sql -c 'vacuum analyze' -c checkpoint
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  load get "$api" '/api/v1/Orders/{order}'
  load get_select "$api" "/api/v1/Orders/{order}?\$select=$answered"
  floor get_pgbench -f "$work/get.pgbench"
  load get_fastify "$fastify" '/api/v1/Orders/{order}'
  load get_go "$go" '/api/v1/Orders/{order}'
  load list "$api" '/api/v1/Orders?Page={page}&PageSize=50'
  floor list_pgbench "${list_scripts[@]}"
  load list_fastify "$fastify" '/api/v1/Orders?Page={page}&PageSize=50'
  load list_go "$go" '/api/v1/Orders?Page={page}&PageSize=50'
done
[ -z "$fastify" ] || stop "$fastify_pid"
[ -z "$go" ] || stop "$go_pid"
stop_waybill
