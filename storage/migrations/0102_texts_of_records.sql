-- A new text of a record needs only its column and `add_text`, instead of copies of the functions that name the texts of its
-- table (docs/decisions/0102).

-- Refuses a text with too many characters, as the functions of 0059_limits_of_written_values.sql do. The trigger has the column
-- and its limit as arguments, and calls it only for texts with more bytes.
create function limit_text() returns trigger language plpgsql security definer set search_path to pg_catalog, pg_temp as $$
begin
  if coalesce(current_setting('waybill.cause', true), '') <> ''
     and (session_user = current_user or pg_has_role(session_user, current_user, 'member')) then
    return new;
  end if;
  perform @schema@.refuse_long_text(tg_argv[0], case when tg_op = 'UPDATE' then to_jsonb(old) ->> tg_argv[0] end,
                                    to_jsonb(new) ->> tg_argv[0], tg_argv[1]::integer);
  return new;
end $$;
revoke execute on function limit_text() from public;

-- Makes bounded_record of a record's table anew, as in 0060_bounded_records.sql, with the texts that the table has now.
create procedure measure_texts(record regclass) language plpgsql as $$
declare
  sizes text;
begin
  select string_agg(format('octet_length(r.%I)', a.attname), ', ' order by a.attnum) into sizes
  from pg_attribute a
  where a.attrelid = record and a.attnum > 0 and not a.attisdropped and a.atttypid = 'text'::regtype;
  execute format($create$
create or replace function bounded_record(r %1$s) returns bytea language plpgsql stable strict as $function$
begin
  if greatest(pg_column_size(r), %2$s) > 4194304 then
    return '';
  end if;
  return substr(record_send(r), 1, 4194305);
exception when program_limit_exceeded or out_of_memory or internal_error then
  return '';
end $function$
$create$, record, sizes);
end $$;

-- Lets an erasure clear a text of a record's table: `yes` always, `if_named` if it has a word of the person. Inserts a line at
-- the end of the function `erased`; a customer's record has no words and is always the person's.
create procedure erase_text(record regclass, name text, personal text) language plpgsql as $$
declare
  erasing oid := coalesce(to_regprocedure(format('erased(%s, text[])', record)), to_regprocedure(format('erased(%s)', record)));
  definition text := pg_get_functiondef(erasing);
  variable text := (select p.proargnames[1] from pg_proc p where p.oid = erasing);
  ending text := E'\n  return ' || variable || E';\nend ';
  line text;
begin
  if personal not in ('yes', 'if_named') or coalesce(strpos(definition, ending), 0) = 0 then
    raise 'no function erases % of %', name, record;
  end if;
  line := format('%I.%I := null;', variable, name);
  if personal = 'if_named' and (select p.pronargs = 2 from pg_proc p where p.oid = erasing) then
    line := format('if holds_word(%I.%I, words) then %s end if;', variable, name, line);
  end if;
  if strpos(definition, line) = 0 then
    execute replace(definition, ending, E'\n  ' || line || ending);
  end if;
end $$;

-- Completes a new text of a record's table: `longest` is the number of characters that SQL writers may give it, `personal` is
-- that of its row in domain/records/records.cpp. A second call changes nothing, so a step of a migration may have it.
create procedure add_text(record regclass, name text, longest integer, personal text) language plpgsql as $$
begin
  execute format('create or replace trigger %3$I before insert on %1$s for each row when (octet_length(new.%2$I) > %4$s) '
                 'execute function limit_text(%2$L, %4$s)', record, name, 'limit_' || name || '_insert', longest);
  execute format('create or replace trigger %3$I before update of %2$I on %1$s for each row when (octet_length(new.%2$I) > %4$s) '
                 'execute function limit_text(%2$L, %4$s)', record, name, 'limit_' || name || '_update', longest);
  call measure_texts(record);
  if personal <> 'no' then
    call erase_text(record, name, personal);
  end if;
end $$;
revoke execute on procedure measure_texts(regclass), erase_text(regclass, text, text), add_text(regclass, text, integer, text)
  from public;
