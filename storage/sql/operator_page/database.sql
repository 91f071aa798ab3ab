-- Returns the server, the schema and the number of businesses, for the page for operators. The names of the columns are its
-- headings.
select current_setting('server_version') as "PostgreSQL",
       case when pg_is_in_recovery() then 'standby' else 'primary' end as "Role",
       pg_postmaster_start_time()::timestamptz(0) as "Started", pg_size_pretty(pg_database_size(current_database())) as "Size",
       (select max(name) from schema_migrations) as "Newest migration",
       (select count(*) from businesses) as "Businesses",
       (select count(*) from businesses where suspended_at is not null) as "Suspended"
