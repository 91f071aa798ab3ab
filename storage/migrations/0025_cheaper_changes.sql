-- Changes of records that cost their writers less, and numbers for many orders at once.

-- The rules of orders as one constraint. PostgreSQL parses the text of each constraint again for each statement, which took
-- an eighth of the CPU time of a status change; the function is parsed once for each session. The names are those of the
-- constraints that it replaces. `not valid`: they have checked all present rows. Runs with the search_path of the session
-- that writes, so every name is qualified.
create function check_order(o orders) returns boolean language plpgsql immutable as $$
declare
  violated pg_catalog.text := case
    when o.status operator(pg_catalog.<>) all (array['draft', 'pending', 'processing', 'ready', 'shipped', 'delivered',
                                                     'cancelled']) then 'orders_status_check'
    when o.order_number operator(pg_catalog.=) '' then 'orders_order_number_check'
    when pg_catalog.json_typeof(o.items) operator(pg_catalog.<>) 'array' then 'orders_items_check'
    when o.total_value operator(pg_catalog.<) 0 then 'orders_total_value_check'
    when o.total_value operator(pg_catalog.>=) 1e12 then 'orders_numbers_in_range'
    when o.currency operator(pg_catalog.!~) '^[A-Z]{3}$' then 'orders_currency_check'
    when least(o.created_at, o.updated_at, o.deleted_at, o.collection_date)
           operator(pg_catalog.<) pg_catalog.timestamptz '0001-01-01 00:00:00+00'
         or greatest(o.created_at, o.updated_at, o.deleted_at, o.collection_date)
           operator(pg_catalog.>=) pg_catalog.timestamptz '10000-01-01 00:00:00+00' then 'orders_times_in_range'
    when (o.integration_id is null) operator(pg_catalog.<>) (o.external_id is null) then 'orders_import_whole'
    when pg_catalog.jsonb_typeof(o.tags) operator(pg_catalog.<>) 'array' then 'orders_tags_check'
    when pg_catalog.jsonb_typeof(o.metadata) operator(pg_catalog.<>) 'object' then 'orders_metadata_check'
    when o.source_type operator(pg_catalog.<>) all (array['api', 'import', 'sql']) then 'orders_source_type_check'
    when o.shipping_cost operator(pg_catalog.<) 0 or o.shipping_cost operator(pg_catalog.>=) 1e12
      then 'orders_shipping_cost_check'
  end;
begin
  if violated is null then
    return true;
  end if;
  raise check_violation using
    message = pg_catalog.format('new row for relation "orders" violates check constraint "%s"', violated),
    table = 'orders', constraint = violated;
end $$;
alter table orders
  drop constraint orders_status_check,
  drop constraint orders_order_number_check,
  drop constraint orders_items_check,
  drop constraint orders_total_value_check,
  drop constraint orders_numbers_in_range,
  drop constraint orders_currency_check,
  drop constraint orders_times_in_range,
  drop constraint orders_import_whole,
  drop constraint orders_tags_check,
  drop constraint orders_metadata_check,
  drop constraint orders_source_type_check,
  drop constraint orders_shipping_cost_check,
  add constraint orders_checked check (check_order(orders)) not valid;

-- The business's next free order numbers, in their order. Numbers that clients have given are skipped, and those in `taken`.
-- Locks the business's row of order_numbers until the transaction ends, like next_order_number.
create function next_order_numbers(business uuid, wanted bigint, taken text[]) returns text[] language plpgsql as $$
declare
  number bigint;
  step bigint := wanted;
  found_numbers text[] := '{}';
begin
  if wanted = 0 then
    return found_numbers;
  end if;
  insert into order_numbers (business_id, last_number) values (business, 0) on conflict do nothing;
  select last_number into number from order_numbers where business_id = business for update;
  while step > 0 loop
    found_numbers := found_numbers || array(
      select c.candidate
      from (select n, 'ORD-' || lpad(n::text, greatest(6, length(n::text)), '0') as candidate
            from generate_series(number + 1, number + step) n) c
      where c.candidate <> all (taken)
        -- `not exists` could be planned as a hash table of all numbers of the business.
        and (select guid from orders where business_id = business and order_number = c.candidate
             and deleted_at is null and integration_id is null limit 1) is null
      order by c.n);
    number := number + step;
    step := wanted - cardinality(found_numbers);
  end loop;
  update order_numbers set last_number = number where business_id = business;
  return found_numbers;
end $$;
revoke execute on function next_order_numbers(uuid, bigint, text[]) from public;

-- A session keeps the plan of a trigger's statement from its first change, which is usually of one row. A full join has no
-- plan with nested loops, which would take 12 s for 5 000 rows. The functions stay the same otherwise. That of shipments has
-- a full join already (0020_scans.sql).
do $$
declare
  name text;
begin
  foreach name in array array['record_order_update', 'record_customer_update', 'record_product_update'] loop
    execute replace(pg_get_functiondef(to_regproc(name)), E'\n    join old_rows', E'\n    full join old_rows');
  end loop;
end $$;
