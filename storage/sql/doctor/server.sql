-- Returns the server's version and the settings that concern every session.
-- -> version text, version_number int, is_standby boolean, is_read_only boolean, encoding text, autovacuum boolean,
-- -> idle_session_limit text (0: none), search_path text, schema text or null (the first one of it that exists),
-- -> has_tables boolean (of waybill, on the path), schemas_with_tables text or null (those that are not on the path),
-- -> notifies boolean (changes by the role wake idle workers)
select current_setting('server_version') as version, current_setting('server_version_num')::integer as version_number,
       pg_is_in_recovery() as is_standby, current_setting('default_transaction_read_only')::boolean as is_read_only,
       current_setting('server_encoding') as encoding, current_setting('autovacuum')::boolean as autovacuum,
       current_setting('idle_session_timeout') as idle_session_limit, current_setting('search_path') as search_path,
       current_schema()::text as schema, to_regclass('schema_migrations') is not null as has_tables,
       (select string_agg(quote_ident(n.nspname), ', ' order by n.nspname)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relname = 'schema_migrations' and c.relkind = 'r' and not pg_table_is_visible(c.oid)) as schemas_with_tables,
       coalesce(current_setting('waybill.notify', true), '') <> 'off' as notifies
