-- Returns whether the queue has a run that is not held. Without one, claim.sql and next_due.sql find nothing; their plans, which
-- must be fresh, take far longer than this statement.
-- -> has_runs boolean
select (select q.destination from run_queue q where q.status <> 'held' order by q.destination limit 1) is not null as has_runs
