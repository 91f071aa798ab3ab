-- Returns the identifier of the server's cluster.
-- -> cluster bigint
select system_identifier as cluster from pg_control_system()
