-- Notes that this session has performed a duty, and keeps its turn. No row if the session has lost the turn.
-- $1 duty text
-- -> is_kept boolean
update duty_turns set taken_at = clock_timestamp(), ended_at = clock_timestamp()
where duty = $1 and session_pid = pg_backend_pid()
returning true as is_kept
