-- Returns whether this session may become the one of a worker or process: false while its previous session exists. Takes the
-- advisory lock by which earlier releases see that a worker lives; another session that has it changes nothing.
-- $1 worker uuid
-- -> is_held boolean
select not exists (select from (select guid, session_pid, session_start from workers
                                union all select guid, session_pid, session_start from processes) s
                   where s.guid = $1::uuid and s.session_pid <> pg_backend_pid()
                     and session_lives(s.session_pid, s.session_start)) as is_held
from (select pg_try_advisory_lock(worker_lock($1::uuid))) mark
