-- Returns the number of events of records, up to an id, that a live worker may be turning into runs.
-- $1 business uuid, $2 records uuid[], $3 last_event bigint
-- -> events bigint
select count(*) as events
from pending_events p
join shards s on s.shard = p.shard and lease_end(s.owner) > now()
join events e on e.business_id = $1 and e.id = p.id and e.at = p.at
where p.shard = shard_of($1) and p.business_id = $1 and p.id <= $3 and e.entity_id = any ($2::uuid[])
