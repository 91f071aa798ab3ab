-- Stores whether a worker waits for a NOTIFY.
-- $1 worker uuid, $2 idle boolean
insert into worker_words (worker, idle) values ($1::uuid, $2::boolean)
