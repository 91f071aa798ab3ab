-- Merges the pending entries of all search indexes (GIN), except those of tables that another session has locked, or waits to
-- lock, against readers, and those that vanish while it runs. Returns the number of pages of the index that had the most.
-- -> pages bigint
select coalesce(max(merge_pending_entries(c.oid)), 0) as pages
from pg_class c
join pg_index i on i.indexrelid = c.oid
where c.relam = (select a.oid from pg_am a where a.amname = 'gin')
  and c.relnamespace = quote_ident(current_schema())::regnamespace and i.indisready
  and i.indrelid <> all (array(select l.relation from pg_locks l
                               where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock'
                                 and l.database = (select d.oid from pg_database d where d.datname = current_database())))
