-- Stores whether a worker waits for a NOTIFY.
-- $1 worker, $2 idle
insert into worker_words (worker, idle) values ($1::uuid, $2::boolean)
