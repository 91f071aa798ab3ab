-- Returns the names of the living processes that encrypt with another key, or did so within the last 20 seconds: a
-- value that they sealed may not be committed yet.
-- $1 key bigint
-- -> names text or null
select string_agg(name, ', ' order by name) as names from processes
where (sealing_key <> $1::bigint or sealing_since > now() - interval '20 seconds') and process_lives(guid)
