# Lists of 100 000 orders (`lists-million`: a million) of one business, newest first, with an exact total: of a status (a
# quarter of the orders has it), of a customer, of a day, and of a month; compared with Fastify and Go on the same tables.
# Each request takes one of the first twenty pages; those of a customer the only one. Orders by tag, reference or metadata
# (a thousandth of the orders has them) are measured without peers, with 8 connections, like $search; at the end again by
# tag, when all other orders have another one, and by this one. Then GET /api/search is measured for an order number, for the
# first name that all recipients have, and for it with the beginning of a family name that a thousandth has; and
# GET /api/today. Lists for which
# waybill writes other SQL than the plain statements of page and count are measured with 8 connections, and compared with
# the peers and with these statements in pgbench, which has no HTTP, token or JSON.
seconds=${BENCH_SECONDS:-5}
list_orders=100000
[ "$part" = lists ] || list_orders=1000000
connections=64

lists() { # NAME PORT TARGET
  [ -n "$2" ] || return 0
  # Requests whose client has gone are still served.
  until [ "$(sql -c "select count(*) from pg_stat_activity where application_name <> 'psql' and state = 'active'")" = 0 ]; do
    sleep 0.1
  done
  TARGET=$3 TOKEN=$token record_load "$1" wrk.lua "$2" $connections
}

# Measures a list of waybill and the same list of the peers. beside_peers NAME QUERY PEERS_QUERY [PAGE]
beside_peers() {
  local page="Page=${4:-{page\}}"
  lists "$1" "$api" "/api/v1/Orders?$page&PageSize=50&\$$2"
  lists "$1_fastify" "$fastify" "/api/v1/Orders?$page&$3"
  lists "$1_go" "$go" "/api/v1/Orders?$page&$3"
}

# Measures a list of waybill, the same list of the peers, and its plain statements.
# beside_sql NAME QUERY PEERS_QUERY WHERE ORDER [JOIN]
beside_sql() {
  # A peer takes seconds for some of these lists at a million orders.
  local seconds=$((2 * seconds)) rows="where r.business_id = :business and r.deleted_at is null and $4"
  printf '%s\n' '\set skipped 50 * random(0, 19)' \
    "select r.* from orders r ${6:-} $rows order by $5 limit 50 offset :skipped;" "select count(*) from orders r $rows;" \
    >"$work/$1.pgbench"
  connections=8 beside_peers "$1" "$2" "$3"
  with_peers || return 0
  record "$1_sql" "$(transactions -c 8 -f "$work/$1.pgbench")"
}

# The fields of the peers' entries (peers/rest/list.sql).
listed=guid,orderNumber,status,customer/guid,customer/name,items,deliveryAddress/street,deliveryAddress/city
listed+=,deliveryAddress/state,deliveryAddress/postalCode,carrier/guid,collectionDate,createdAt

newest='r.created_at desc, r.guid desc'
by_customer='left join customers c on c.business_id = r.business_id and c.guid = r.customer_id'

make_data "Lists $list_orders" $list_orders '{pending,pending,processing,ready,shipped,delivered,delivered,cancelled}'
start_waybill api
if with_peers; then start_fastify "$business"; else fastify=; fi
start_go "$business" || go=
sql -c checkpoint
customer=00000000-0000-4000-9000-100000000100
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  beside_peers status 'filter=status%20eq%20%27pending%27' 'status=pending'
  lists status_select "$api" "/api/v1/Orders?Page={page}&PageSize=50&\$filter=status%20eq%20%27pending%27&\$select=$listed"
  beside_peers customer "filter=customer/guid%20eq%20$customer" "customer=$customer" 1
  beside_peers day 'filter=createdAt%20ge%202026-01-20%20and%20createdAt%20lt%202026-01-21' 'from=2026-01-20&to=2026-01-21'
  beside_peers month 'filter=createdAt%20ge%202026-01-10%20and%20createdAt%20lt%202026-02-10' 'from=2026-01-10&to=2026-02-10'
  connections=8 lists search "$api" '/api/v1/Orders?$search={word}'
  connections=8 lists tag "$api" '/api/v1/Orders?PageSize=50&$filter=tags%20eq%20%27vip%27'
  connections=8 lists reference "$api" '/api/v1/Orders?PageSize=50&$filter=externalReference%20eq%20%27PO-7%27'
  connections=8 lists metadata "$api" '/api/v1/Orders?PageSize=50&$filter=metadata/channel%20eq%20%27fair%27'
  beside_sql not_status 'filter=status%20ne%20%27delivered%27' 'otherStatus=delivered' "r.status <> 'delivered'" "$newest"
  beside_sql sorted_by_customer 'orderby=customer/name' 'sort=customer' true 'c.name nulls first, r.guid' "$by_customer"
  beside_sql sorted_by_notes 'orderby=notes' 'sort=notes' true 'r.notes nulls first, r.guid'
  beside_sql started 'filter=startswith(deliveryAddress/city,%27City%203%27)' 'city=City%203%25' \
    "r.delivery_city like 'City 3%'" "$newest"
  beside_sql frequent_text 'filter=contains(notes,%27order%27)' 'notes=%25order%25' "r.notes like '%order%'" "$newest"
done
# The same tag among frequent ones: all other orders get one.
sql -c 'set session_replication_role = replica' \
  -c "update orders set tags = '[\"stock\"]' where business_id = '$business' and tags is null"
# The rows were written without triggers; a worker would keep this total.
sql -c "insert into own_data_totals (business_id, entity_type, value, total, newest_at)
        select '$business', 0, 'tstock', n.records, n.newest_at from own_data_count('$business', 0::smallint, 'tstock') n
        on conflict do nothing"
sql -c 'vacuum analyze orders' -c checkpoint
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  connections=8 lists rare_tag "$api" '/api/v1/Orders?PageSize=50&$filter=tags%20eq%20%27vip%27'
  connections=8 lists frequent_tag "$api" '/api/v1/Orders?PageSize=50&$filter=tags%20eq%20%27stock%27'
done
# All recipients have one first name, and each of a thousand family names is a thousandth.
sql -c 'set session_replication_role = replica' \
  -c "update orders set delivery_name = 'Maria ' || substr(md5((right(guid::text, 9)::bigint % 1000)::text), 1, 8)
      where business_id = '$business'"
sql -c 'vacuum analyze orders' -c checkpoint
for ((repetition = 0; repetition < repetitions; ++repetition)); do
  connections=8 lists found_number "$api" '/api/search?q=ord-00{word}'
  connections=8 lists found_first_name "$api" '/api/search?q=maria'
  connections=8 lists found_name "$api" '/api/search?q=maria%20c4ca4'
  connections=8 lists today "$api" '/api/today'
done
[ -z "$fastify" ] || stop "$fastify_pid"
[ -z "$go" ] || stop "$go_pid"
stop_waybill
