-- Updates the counts of an import run and the positions of its integration, and counts the recent orders that it
-- brought; the last statement of a page. A null position changes nothing, and positions never move back, except for one
-- that lies after the time of its last change: the store's clock was ahead. The run keeps its first errors, up to a number
-- of them.
-- $1 business uuid, $2 run uuid, $3 imported int, $4 updated int, $5 unchanged int, $6 failed int,
-- $7 errors jsonb (JSON array), $8 integration uuid, $9 orders_reached timestamptz or null,
-- $10 products_reached timestamptz or null, $11 recent_orders bigint, $12 most_errors int
with counted as (
  update integration_runs
  set imported = imported + $3, updated = updated + $4, unchanged = unchanged + $5, failed = failed + $6,
      errors = errors || jsonb_path_query_array($7::jsonb, '$[0 to $last]',
                                                jsonb_build_object('last', $12::int - 1 - jsonb_array_length(errors)))
  where business_id = $1 and guid = $2
), brought as (
  insert into source_counts as s (business_id, kind, source_id, hour, count, last_at)
  select $1, 'import', $8, date_trunc('hour', now()), $11::bigint, now() where $11::bigint > 0
  on conflict (business_id, kind, source_id, hour) do update
  set count = s.count + excluded.count, last_at = excluded.last_at
)
update integrations i
set orders_reached = greatest(b.orders, $9::timestamptz),
    orders_moved_at = case when $9::timestamptz > coalesce(b.orders, '-infinity') then clock_timestamp()
                           else i.orders_moved_at end,
    products_reached = greatest(b.products, $10::timestamptz),
    products_moved_at = case when $10::timestamptz > coalesce(b.products, '-infinity') then clock_timestamp()
                             else i.products_moved_at end
from (select case when orders_reached > orders_moved_at then orders_moved_at else orders_reached end as orders,
             case when products_reached > products_moved_at then products_moved_at else products_reached end as products
      from integrations where business_id = $1 and guid = $8) b
where i.business_id = $1 and i.guid = $8
  and ($9::timestamptz > coalesce(b.orders, '-infinity') or $10::timestamptz > coalesce(b.products, '-infinity'))
