-- Returns the server's version and the settings that concern every session.
-- -> version text, version_number int, is_standby boolean, is_read_only boolean, encoding text, isolation text,
-- -> autovacuum boolean, idle_session_limit text (0: none)
select current_setting('server_version') as version, current_setting('server_version_num')::integer as version_number,
       pg_is_in_recovery() as is_standby, current_setting('default_transaction_read_only')::boolean as is_read_only,
       current_setting('server_encoding') as encoding, current_setting('default_transaction_isolation') as isolation,
       current_setting('autovacuum')::boolean as autovacuum, current_setting('idle_session_timeout') as idle_session_limit
