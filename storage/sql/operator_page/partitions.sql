-- Returns the partitioned tables for the page for operators. The names of the columns are its headings.
select parent.relname as "Table", count(*) filter (where part.relname ~ '_[0-9]{8}$') as "Partitions",
       min(part.relname) filter (where part.relname ~ '_[0-9]{8}$') as "First",
       max(part.relname) filter (where part.relname ~ '_[0-9]{8}$') as "Last",
       coalesce(sum(pg_stat_get_live_tuples(part.oid)) filter (where part.relname ~ '_other$'), 0) as "Rows in no partition"
from pg_class parent
join pg_inherits i on i.inhparent = parent.oid
join pg_class part on part.oid = i.inhrelid
where parent.relkind = 'p' and parent.relnamespace = (select c.relnamespace from pg_class c where c.oid = 'businesses'::regclass)
group by parent.relname order by parent.relname limit 50
