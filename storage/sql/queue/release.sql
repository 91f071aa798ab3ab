-- Makes the runs that a stopping worker holds due at once.
-- $1 worker uuid
update run_queue set status = case when attempts > coalesce((steps::json ->> 'attemptsBefore')::integer, 0) then 'retrying' else 'queued' end, due_at = clock_timestamp(), lease_owner = null
where status = 'running' and lease_owner = $1::uuid
