-- Returns the records of the next events, up to an id, that a live worker may be turning into runs.
-- $1 business uuid, $2 after bigint, $3 last_event bigint, $4 limit bigint
-- -> id bigint, record uuid
select p.id, e.entity_id as record
from (select p.id, p.at from pending_events p
      where p.shard = shard_of($1) and p.business_id = $1 and p.id > $2::bigint and p.id <= $3::bigint
        and exists (select from shards s where s.shard = shard_of($1) and lease_end(s.owner) > now())
      order by p.id limit $4::bigint) p
join events e on e.business_id = $1 and e.id = p.id and e.at = p.at
order by p.id
