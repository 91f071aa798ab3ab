-- $1 the worker, $2 whether it sleeps until a NOTIFY.
insert into worker_words (worker, idle) values ($1::uuid, $2::boolean)
