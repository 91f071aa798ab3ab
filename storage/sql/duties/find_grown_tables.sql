-- Returns the tables that have over four times the rows, and a thousand more, that the planner knows of, each as the statement
-- that tells it. The size of a table would not do: ANALYZE does not count rows that are not committed. The statement examines
-- the columns by which statements choose an index, and leaves the statistics of the others. It skips a table that is locked. A
-- table that is being vacuumed or analyzed is left out, since the planner will know it.
-- -> command text
select format('analyze (skip_locked) %s (%s)', c.oid::regclass, k.keys) as command
from pg_class c
cross join lateral (select string_agg(a.attname, ', ') as keys from pg_attribute a
                    where a.attrelid = c.oid and a.attname in ('business_id', 'guid', 'id') and not a.attisdropped) k
where c.relkind = 'r' and c.relnamespace = quote_ident(current_schema())::regnamespace and pg_has_role(c.relowner, 'usage')
  and k.keys is not null and pg_stat_get_live_tuples(c.oid) > 4 * greatest(c.reltuples, 0) + 1000
  and not exists (select from pg_stat_progress_vacuum v where v.relid = c.oid)
  and not exists (select from pg_stat_progress_analyze p where p.relid = c.oid)
