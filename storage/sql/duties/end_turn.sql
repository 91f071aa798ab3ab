-- Ends the turn of this session and notes that the duty was performed.
-- $1 duty text
update duty_turns set session_pid = null, session_start = null, ended_at = clock_timestamp()
where duty = $1 and session_pid = pg_backend_pid()
