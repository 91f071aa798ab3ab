-- Begins digests, and updates those that the transaction has locked.
-- $1 businesses uuid[], $2 digests uuid[], $3 workflows uuid[], $4 versions int[], $5 value_keys uuid[], $6 values text[] (JSON; of
-- the new ones), $7 begins timestamptz[], $8 lasts timestamptz[], $9 dues timestamptz[], $10 counts int[], $11 bytes bigint[],
-- $12 full smallint[] (1: it takes no more events)
insert into digests as d (business_id, guid, workflow_id, version, value_key, value, shard, began_at, last_at, due_at, check_at,
                          count, bytes, is_full)
select n.business_id, n.guid, n.workflow_id, n.version, n.value_key, n.value, shard_of(n.business_id), n.began_at, n.last_at,
       n.due_at, n.due_at, n.count, n.bytes, n.is_full = 1
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::uuid[], $6::text[], $7::timestamptz[], $8::timestamptz[],
            $9::timestamptz[], $10::integer[], $11::bigint[], $12::smallint[])
  n (business_id, guid, workflow_id, version, value_key, value, began_at, last_at, due_at, count, bytes, is_full)
on conflict (business_id, guid) do update
set last_at = excluded.last_at, due_at = excluded.due_at, check_at = excluded.check_at, count = excluded.count,
    bytes = excluded.bytes, is_full = excluded.is_full
