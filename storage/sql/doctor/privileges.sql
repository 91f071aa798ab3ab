-- Returns the role's rights in waybill's schema: whether it has those of the tables' owner, the tables of waybill that it
-- may not read and write, and the tables and partitions of waybill that belong to another role.
-- $1 tables text[]
-- -> role name, owner name, has_owner boolean, may_create boolean, closed text or null, foreign_tables text or null
select current_user as role, pg_get_userbyid(b.relowner) as owner, pg_has_role(b.relowner, 'usage') as has_owner,
       has_schema_privilege(b.relnamespace, 'create') as may_create,
       (select string_agg(c.relname, ', ' order by c.relname) from pg_class c
        where c.relnamespace = b.relnamespace and c.relname = any ($1::text[])
          and not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
                   and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'))) as closed,
       (select string_agg(c.relname, ', ' order by c.relname) from pg_class c
        where c.relnamespace = b.relnamespace and c.relkind in ('r', 'p') and c.relowner <> b.relowner
          and (select r.relname from pg_class r where r.oid = coalesce(pg_partition_root(c.oid), c.oid)) = any ($1::text[]))
         as foreign_tables
from pg_class b where b.oid = 'businesses'::regclass
