-- Makes the runs that a stopping worker holds due at once.
-- $1 worker uuid
update run_queue set status = pending_status(attempts, steps), due_at = clock_timestamp(), lease_owner = null
where status = 'running' and lease_owner = $1::uuid
