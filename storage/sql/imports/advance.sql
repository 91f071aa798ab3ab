-- A page's last statement: what the run has done, $3 imported, $4 updated, $5 unchanged, $6 failed, $7 errors, of the
-- business $1 and the run $2; and of the integration $8 how far its orders $9 and products $10 are here, where a null
-- changes nothing and nothing goes back.
with counted as (
  update integration_runs
  set imported = imported + $3, updated = updated + $4, unchanged = unchanged + $5, failed = failed + $6,
      errors = jsonb_path_query_array(errors || $7::jsonb, '$[0 to 99]')
  where business_id = $1 and guid = $2
)
update integrations
set orders_reached = greatest(orders_reached, $9::timestamptz),
    orders_moved_at = case when $9::timestamptz > coalesce(orders_reached, '-infinity') then clock_timestamp()
                           else orders_moved_at end,
    products_reached = greatest(products_reached, $10::timestamptz),
    products_moved_at = case when $10::timestamptz > coalesce(products_reached, '-infinity') then clock_timestamp()
                             else products_moved_at end
where business_id = $1 and guid = $8
  and ($9::timestamptz > coalesce(orders_reached, '-infinity')
       or $10::timestamptz > coalesce(products_reached, '-infinity'))
