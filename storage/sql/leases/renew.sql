-- $1 the worker, $2 for how long, $3 how long ago all that was committed then was matched. Answers the shards it holds; the
-- rest was taken from it.
with seen as (update workers set seen_at = clock_timestamp() where guid = $1::uuid)
update shards set expires_at = clock_timestamp() + $2::interval, matched_at = clock_timestamp() - $3::interval
where owner = $1::uuid
returning shard, epoch, orphaned
