-- Merges the pending entries of all search indexes (GIN). Returns the number of pages of the index that had the most.
-- -> pages bigint
select coalesce(max(gin_clean_pending_list(c.oid)), 0) as pages
from pg_class c
join pg_index i on i.indexrelid = c.oid
where c.relam = (select a.oid from pg_am a where a.amname = 'gin')
  and c.relnamespace = current_schema()::regnamespace and i.indisready
