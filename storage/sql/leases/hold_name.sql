-- Tries to take the session's lock that proves that a worker lives. Returns whether the session has it.
-- $1 worker uuid
-- -> is_held boolean
select pg_try_advisory_lock(worker_lock($1::uuid)) as is_held
