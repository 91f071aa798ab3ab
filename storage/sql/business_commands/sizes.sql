-- Returns the number of rows that a business has in each table and its share of the table's bytes, largest first.
-- $1 business uuid
-- -> name text, row_count bigint, bytes bigint
\ir tables.inc
select regexp_replace(t.name, '_([0-9]{8}|other)$', '') as name, sum(s.row_count)::bigint as row_count,
       sum(s.bytes)::bigint as bytes
from parts t, size_of($1::uuid, t.name) s
group by 1 having sum(s.row_count) > 0
order by 3 desc, 1
