-- Returns the sealed check value; no row if no process has started yet.
-- -> sealed bytea
select sealed from key_check
