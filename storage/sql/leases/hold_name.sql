-- The lock that says the worker $1 lives; the server lets it go with the session.
select pg_try_advisory_lock(worker_lock($1::uuid))
