-- Returns the tables and partitions of waybill whose rows the role does not see all, the rules on them, those that a crash
-- empties although they should be kept, and the indexes that are missing or not valid.
-- $1 tables text[], $2 unlogged text[] (those that a crash may empty), $3 indexes text[]
-- -> hidden text or null, rules text or null ("NAME on TABLE"), unlogged text or null, lost_indexes text or null
with place as (
  select b.relnamespace as id from pg_class b where b.oid = 'businesses'::regclass
), own as (
  select c.oid, c.relname, c.relpersistence from pg_class c
  where c.relnamespace = (select id from place) and c.relkind in ('r', 'p')
    and (select r.relname from pg_class r where r.oid = coalesce(pg_partition_root(c.oid), c.oid)) = any ($1::text[])
)
select (select string_agg(o.relname, ', ' order by o.relname) from own o where row_security_active(o.oid)) as hidden,
       (select string_agg(w.rulename || ' on ' || o.relname, ', ' order by o.relname, w.rulename)
        from own o join pg_rewrite w on w.ev_class = o.oid where w.ev_enabled <> 'D') as rules,
       (select string_agg(o.relname, ', ' order by o.relname) from own o
        where o.relpersistence = 'u' and o.relname <> all ($2::text[])) as unlogged,
       (select string_agg(w.name, ', ' order by w.name) from unnest($3::text[]) w (name)
        where not exists (select from pg_class c join pg_index i on i.indexrelid = c.oid
                          where c.relnamespace = (select id from place) and c.relname = w.name and i.indisvalid)) as lost_indexes
