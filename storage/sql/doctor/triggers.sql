-- Returns those of the given triggers that are missing or that no change fires, with an empty name the tables whose constraints
-- are not checked.
-- $1 tables text[], $2 triggers text[] (of the same length), $3 all_tables text[]
-- -> table_name text, trigger text, is_missing boolean
with own as (
  select c.oid, c.relname::text as name from pg_class c
  where c.relnamespace = (select b.relnamespace from pg_class b where b.oid = 'businesses'::regclass)
    and c.relname = any ($3::text[]) and c.relkind in ('r', 'p')
)
select w.table_name, w.trigger, t.oid is null as is_missing
from unnest($1::text[], $2::text[]) w (table_name, trigger)
left join own o on o.name = w.table_name
left join pg_trigger t on t.tgrelid = o.oid and t.tgname = w.trigger and not t.tgisinternal
where t.tgenabled is null or t.tgenabled not in ('O', 'A')
union all
select o.name, '', false from own o
where exists (select from pg_trigger t where t.tgrelid = o.oid and t.tgisinternal and t.tgenabled not in ('O', 'A'))
order by 1, 2
