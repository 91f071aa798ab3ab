-- Returns how many connections PostgreSQL accepts without its reserved ones, and the sum of those that the living
-- processes may open.
-- -> available bigint, allowed bigint, most bigint (max_connections)
select current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
         - coalesce(current_setting('reserved_connections', true), '0')::bigint as available,
       (select coalesce(sum(connections), 0)::bigint from processes where process_lives(guid)) as allowed,
       current_setting('max_connections')::bigint as most
