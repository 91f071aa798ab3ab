-- The worker $1 stops: what it has taken is due at once.
update run_queue set status = 'queued', due_at = clock_timestamp(), lease_owner = null
where status = 'running' and lease_owner = $1::uuid
