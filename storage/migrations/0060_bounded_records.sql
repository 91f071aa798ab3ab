-- Limits of what statements send of the records that are stored (docs/decisions/0055).

-- The binary form of a record (record_send), cut one byte after 4 MiB, which is the largest record that is read. Empty for a
-- record that is much larger, because PostgreSQL would need several times its size. The number of bytes of a text is known
-- without reading it. Statements call it for values of more than 8 192 bytes: PostgreSQL compresses a text to 1/255 at most, and
-- the record with it likewise, so a smaller value can be sent.
do $migration$
declare
  t record;
begin
  for t in
    select c.relname, string_agg(format('octet_length(r.%I)', a.attname), ', ' order by a.attnum) as sizes
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.oid in ('orders'::regclass, 'shipments'::regclass, 'customers'::regclass, 'products'::regclass)
      and a.atttypid = 'text'::regtype
    group by c.relname
  loop
    execute format($create$
create function bounded_record(r %1$I) returns bytea language plpgsql stable strict as $function$
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

-- The text of a JSON object; empty if it is much larger than 4 MiB.
create function bounded_json(j jsonb) returns text language plpgsql stable strict as $$
begin
  return case when pg_column_size(j || '{}') > 4194304 then '' else j::text end;  -- the size without compression
end $$;

-- A text of a relative, cut if no statement of today could have written it.
create function shown_text(t text) returns text language sql immutable as $$
  select case when octet_length(t) <= 40000 then t else left(t, 10000) end $$;
