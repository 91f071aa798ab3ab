-- The worker $1 stops: what it has taken is due at once.
update run_queue set status = case when attempts > 0 then 'retrying' else 'queued' end, due_at = clock_timestamp(), lease_owner = null
where status = 'running' and lease_owner = $1::uuid
