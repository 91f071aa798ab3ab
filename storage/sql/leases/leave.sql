-- The worker $1 stops.
with gone as (delete from workers where guid = $1::uuid or seen_at < clock_timestamp() - interval '1 day')
update shards set owner = null, expires_at = '-infinity', idle = false where owner = $1::uuid
