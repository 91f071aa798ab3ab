-- Data for customs: of products, and of shipments. Those of an order's items are in its items.

alter table products
  add column hs_code text,          -- 6 to 10 digits
  add column origin_country text,   -- ISO 3166-1 alpha-2
  add column customs_value numeric; -- of one, in the currency of the business
-- `not valid`: the columns are new, so no row needs a check.
alter table products
  add constraint products_hs_code_check check (hs_code ~ '^[0-9]{6,10}$') not valid,
  add constraint products_origin_country_check check (origin_country ~ '^[A-Z]{2}$') not valid,
  add constraint products_customs_value_check check (customs_value >= 0 and customs_value < 1e12) not valid;

alter table shipments
  add column customs jsonb,         -- {contents, incoterm, items}; without items those of the order
  add column is_return boolean,     -- null in a row that is older than the column: false
  add column order_items uuid[];    -- the order's items in the parcel; null: all
alter table shipments
  add constraint shipments_customs_check check (jsonb_typeof(customs) = 'object') not valid;

-- True if the parcel travels from the recipient to the sender.
create function sent_back(s shipments) returns boolean language sql immutable as $$
  select coalesce(s.is_return, false) $$;

-- As in 0060_bounded_records.sql, with the texts that the tables have now.
do $migration$
declare
  t record;
begin
  for t in
    select c.relname, string_agg(format('octet_length(r.%I)', a.attname), ', ' order by a.attnum) as sizes
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.oid in ('shipments'::regclass, 'products'::regclass) and a.atttypid = 'text'::regtype
    group by c.relname
  loop
    execute format($create$
create or replace function bounded_record(r %1$I) returns bytea language plpgsql stable strict as $function$
begin
  if greatest(pg_column_size(r), %2$s) > 4194304 then
    return '';
  end if;
  return substr(record_send(r), 1, 4194305);
exception when program_limit_exceeded or out_of_memory or internal_error then
  return '';
end $function$
$create$, t.relname, t.sizes);
  end loop;
end $migration$;

-- The limits of what SQL writes, as in 0059_limits_of_written_values.sql. A row without data for customs does not call it.
create function limit_customs() returns trigger language plpgsql security definer as $$
begin
  if coalesce(pg_catalog.current_setting('waybill.cause', true), '') operator(pg_catalog.<>) ''
     and (session_user operator(pg_catalog.=) current_user
          or pg_catalog.pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
  if pg_catalog.pg_column_size(new.customs) operator(pg_catalog.>) 200 then
    perform @schema@.refuse_long_list('customs.items', old.customs operator(pg_catalog.->) 'items',
                                      new.customs operator(pg_catalog.->) 'items', 1000, 200);
    perform @schema@.refuse_long_text('customs.contents', old.customs operator(pg_catalog.->>) 'contents',
                                      new.customs operator(pg_catalog.->>) 'contents', 200);
    perform @schema@.refuse_long_text('customs.incoterm', old.customs operator(pg_catalog.->>) 'incoterm',
                                      new.customs operator(pg_catalog.->>) 'incoterm', 200);
  end if;
  return new;
end $$;
revoke execute on function limit_customs() from public;
create trigger limits_of_customs_insert before insert on shipments for each row
  when (new.customs is not null) execute function limit_customs();
create trigger limits_of_customs_update before update of customs on shipments for each row
  when (new.customs is not null) execute function limit_customs();
