-- Deletes idempotency keys older than 24 hours.
delete from idempotency_keys where created_at < now() - interval '24 hours'
