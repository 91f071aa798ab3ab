delete from idempotency_keys where created_at < now() - interval '24 hours'
