-- Returns the limits and the number of the server's connections. A limit below 0 means no limit.
-- -> most bigint (max_connections), available bigint (without the reserved ones), used bigint, role_limit int,
-- -> database_limit int
select current_setting('max_connections')::bigint as most,
       current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
         - coalesce(current_setting('reserved_connections', true), '0')::bigint as available,
       (select sum(numbackends)::bigint from pg_stat_database) as used,
       (select rolconnlimit from pg_roles where rolname = current_user) as role_limit,
       (select datconnlimit from pg_database where datname = current_database()) as database_limit
