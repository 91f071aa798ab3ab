-- $1 the worker, $2 whether it sleeps until a NOTIFY. Answers the first transaction id that will see it.
with told as (update shards set idle = $2::boolean where owner = $1::uuid and idle <> $2::boolean returning 1)
select count(*) from told
