-- Gives back the shards $2 of the worker $1.
update shards set owner = null where owner = $1::uuid and shard = any ($2::smallint[])
