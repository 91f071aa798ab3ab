-- Deletes sums of hours whose runs are deleted.
-- $1 retention_days int
delete from run_sums where start < date_trunc('day', now(), 'UTC') - $1::integer * interval '1 day'
