-- Gives this session the turn of a duty, so that no other session performs it. No row if another one has it. A session
-- that has ended has lost its turn, and so has one that took it more than ten minutes ago, or in the future by the present
-- clock. Earlier releases lock a duty in another way, so one of their workers may perform it at the same time.
-- $1 duty text
-- -> is_taken boolean
insert into duty_turns as t (duty, session_pid, session_start, taken_at)
values ($1, pg_backend_pid(), own_session_start(), clock_timestamp())
on conflict (duty) do update
set session_pid = excluded.session_pid, session_start = excluded.session_start, taken_at = excluded.taken_at
where t.session_pid is null
   or (t.session_pid = excluded.session_pid and t.session_start = excluded.session_start)
   or t.taken_at not between clock_timestamp() - interval '10 minutes' and clock_timestamp()
   or not session_lives(t.session_pid, t.session_start)
returning true as is_taken
