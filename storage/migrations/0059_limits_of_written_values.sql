-- Limits of the values that SQL writes (docs/decisions/0055).
--
-- A statement that gives a column a longer value than the API accepts is refused, and so is a time that no response can show. A
-- row that has such a value already stays writable: only new values count. So these are triggers and no constraints, which
-- PostgreSQL checks again for each update of a row. waybill's own statements are not checked: the API and the imports have limits
-- of their own.

-- Raises an error if a text has too many characters. Like the other functions, it accepts the present value.
create function refuse_long_text(column_name text, before text, after text, longest integer) returns void
language plpgsql set search_path to pg_catalog, pg_temp as $$
begin
  if char_length(after) > longest and after is distinct from before then
    raise string_data_right_truncation using
      message = format('%s must have at most %s characters', column_name, longest), column = column_name;
  end if;
end $$;

-- Raises an error if a list has too many entries, or if one of them has a text with too many characters. The description of an
-- entry has at most 10 000 characters, an e-mail address 254, and the text of an object in an entry 1 000.
create function refuse_long_list(column_name text, before jsonb, after jsonb, entries integer, longest integer) returns void
language plpgsql set search_path to pg_catalog, pg_temp as $$
declare
  long record;
begin
  if after is not distinct from before or jsonb_typeof(after) <> 'array' then  -- a constraint refuses what is no array
    return;
  end if;
  if jsonb_array_length(after) > entries then
    raise string_data_right_truncation using
      message = format('%s must have at most %s entries', column_name, entries), column = column_name;
  end if;
  select e.position - 1 as position, m.key, l.characters into long
  from jsonb_array_elements(after) with ordinality e (entry, position),
       lateral jsonb_each(case jsonb_typeof(e.entry) when 'object' then e.entry else jsonb_build_object('', e.entry) end) m,
       lateral (select case when m.key = 'description' then 10000 when m.key = 'email' then 254
                            when jsonb_typeof(m.value) in ('object', 'array') then 1000 else longest end) l (characters)
  where char_length(m.value #>> '{}') > l.characters or char_length(m.key) > longest
  limit 1;
  if found then
    raise string_data_right_truncation using
      message = format('%s[%s]%s must have at most %s characters', column_name, long.position,
                       case when long.key <> '' then '.' || left(long.key, 40) else '' end, long.characters),
      column = column_name;
  end if;
end $$;

-- Raises an error if metadata have more than 50 keys, a key with more than 40 characters, or a text with more than 500.
create function refuse_long_metadata(column_name text, before jsonb, after jsonb) returns void
language plpgsql set search_path to pg_catalog, pg_temp as $$
declare
  long text;
begin
  if after is not distinct from before or jsonb_typeof(after) <> 'object' then
    return;
  end if;
  if (select count(*) from jsonb_object_keys(after)) > 50 then
    raise string_data_right_truncation using message = column_name || ' must have at most 50 keys', column = column_name;
  end if;
  select key into long from jsonb_each(after) where char_length(key) > 40 limit 1;
  if found then
    raise string_data_right_truncation using
      message = format('the key %s… of %s must have at most 40 characters', left(long, 40), column_name), column = column_name;
  end if;
  select key into long from jsonb_each_text(after) where char_length(value) > 500 limit 1;
  if found then
    raise string_data_right_truncation using
      message = format('%s.%s must have at most 500 characters', column_name, long), column = column_name;
  end if;
end $$;

-- Raises an error if a time is infinite or outside the years 1 to 9999.
create function refuse_endless_time(column_name text, before timestamptz, after timestamptz) returns void
language plpgsql set search_path to pg_catalog, pg_temp as $$
begin
  if after is distinct from before then
    raise datetime_field_overflow using
      message = column_name || ' must be a time in the years 1 to 9999', column = column_name;
  end if;
end $$;
revoke execute on function refuse_long_text(text, text, text, integer), refuse_long_list(text, jsonb, jsonb, integer, integer),
  refuse_long_metadata(text, jsonb, jsonb), refuse_endless_time(text, timestamptz, timestamptz) from public;

-- The trigger functions and the triggers, from a table of the limits. A function first compares the sizes in bytes, which
-- PostgreSQL knows without reading a value, and counts characters only of values that are larger. Its names are qualified as in
-- 0009_event_triggers.sql. A statement that assigns none of the columns does not call it.
do $migration$
declare
  t record;
begin
  for t in
    with limits (table_name, column_name, kind, characters) as (
      select table_name, column_name, kind, characters
      from (values
        ('orders', 'text', 200, '{order_number, delivery_street, delivery_city, delivery_state, delivery_postal_code,
          delivery_country, delivery_name, delivery_company, delivery_phone, service_level, shipping_method, collection_start,
          collection_end, external_reference}'::text[]),
        ('orders', 'text', 254, '{delivery_email}'),
        ('orders', 'text', 1000, '{external_id}'),
        ('orders', 'text', 2000, '{source_url}'),
        ('orders', 'text', 10000, '{notes}'),
        ('orders', 'list', 200, '{items}'),
        ('orders', 'tags', 50, '{tags}'),
        ('orders', 'metadata', 40, '{metadata}'),
        ('orders', 'time', null, '{status_changed_at}'),
        ('shipments', 'text', 200, '{tracking_number, sender_name, sender_company, sender_street, sender_city, sender_state,
          sender_postal_code, sender_country, sender_phone, recipient_name, recipient_company, recipient_street, recipient_city,
          recipient_state, recipient_postal_code, recipient_country, recipient_phone, service_level, carrier_tracking_number,
          external_reference}'),
        ('shipments', 'text', 254, '{recipient_email}'),
        ('shipments', 'text', 2000, '{carrier_tracking_url}'),
        ('shipments', 'text', 10000, '{instructions}'),
        ('shipments', 'list', 200, '{packages}'),
        ('shipments', 'tags', 50, '{tags}'),
        ('shipments', 'metadata', 40, '{metadata}'),
        ('shipments', 'time', null, '{status_changed_at, last_trace_at}'),
        ('customers', 'text', 200, '{name, phone, company, street, city, state, postal_code, country, external_reference}'),
        ('customers', 'text', 254, '{email}'),
        ('customers', 'list', 200, '{contacts, reference_list}'),
        ('customers', 'tags', 50, '{tags}'),
        ('customers', 'metadata', 40, '{metadata}'),
        ('products', 'text', 200, '{name, sku, barcode, external_reference}'),
        ('products', 'text', 10000, '{description}'),
        ('products', 'list', 200, '{variants}'),
        ('products', 'tags', 50, '{tags}'),
        ('products', 'metadata', 40, '{metadata}'),
        -- Texts that events and answers show with a record.
        ('shipment_traces', 'text', 200, '{location, external_id}'),
        ('shipment_traces', 'text', 10000, '{description}'),
        ('carriers', 'text', 200, '{name, code}'),
        ('carriers', 'text', 2000, '{tracking_url_pattern}'),
        ('integrations', 'text', 2000, '{store_url}')
      ) l (table_name, kind, characters, columns), unnest(l.columns) c (column_name)
    ), checks as (
      -- One condition for the columns of a kind and limit, and one call for each of them.
      select table_name, kind, characters,
             case kind
               when 'text' then format('greatest(%s) operator(pg_catalog.>) %s',
                                       string_agg(format('pg_catalog.octet_length(new.%I)', column_name), ', '), characters)
               when 'time' then format('least(%1$s) operator(pg_catalog.<) pg_catalog.timestamptz ''0001-01-01 00:00:00+00'' or '
                                       'greatest(%1$s) operator(pg_catalog.>=) pg_catalog.timestamptz ''10000-01-01 00:00:00+00''',
                                       string_agg(format('new.%I', column_name), ', '))
               -- A list or an object whose text is longer than the limit is larger than it, unless it is compressed.
               else format('greatest(%s) operator(pg_catalog.>) %s',
                           string_agg(format('pg_catalog.pg_column_size(new.%I)', column_name), ', '), characters)
             end as condition,
             string_agg(case kind
               when 'text' then format('    perform @schema@.refuse_long_text(%1$L, old.%1$I, new.%1$I, %2$s);', column_name, characters)
               when 'time' then format(
                 '    if not (new.%1$I operator(pg_catalog.>=) pg_catalog.timestamptz ''0001-01-01 00:00:00+00'' and new.%1$I '
                 'operator(pg_catalog.<) pg_catalog.timestamptz ''10000-01-01 00:00:00+00'') then perform '
                 '@schema@.refuse_endless_time(%1$L, old.%1$I, new.%1$I); end if;', column_name)
               when 'metadata' then format('    perform @schema@.refuse_long_metadata(%1$L, old.%1$I, new.%1$I);', column_name)
               else format('    perform @schema@.refuse_long_list(%1$L, old.%1$I::pg_catalog.jsonb, new.%1$I::pg_catalog.jsonb, %2$s, %3$s);',
                           column_name, case kind when 'tags' then 50 else 1000 end, characters)
             end, E'\n') as calls,
             string_agg(format('%I', column_name), ', ') as columns
      from limits group by table_name, kind, characters
    )
    select table_name, string_agg(columns, ', ') as columns,
           string_agg(format(E'  if %s then\n%s\n  end if;', condition, calls), E'\n' order by kind, characters) as checks
    from checks group by table_name
  loop
    execute format($create$
create function limit_%1$s() returns trigger language plpgsql security definer as $function$
begin
  if coalesce(pg_catalog.current_setting('waybill.cause', true), '') operator(pg_catalog.<>) ''
     and (session_user operator(pg_catalog.=) current_user
          or pg_catalog.pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
%2$s
  return new;
end $function$;
revoke execute on function limit_%1$s() from public;
create trigger limits_insert before insert on %1$I for each row execute function limit_%1$s();
create trigger limits_update before update of %3$s on %1$I for each row execute function limit_%1$s()
$create$, t.table_name, t.checks, t.columns);
  end loop;
end $migration$;

-- As in 0006_orders.sql, without a search_path, which took longer to set than the items to print: no name is looked up.
create or replace function store_canonical_items() returns trigger language plpgsql security definer as $$
begin
  new.items := new.items::pg_catalog.jsonb;
  return new;
end $$;
