-- Moves pending events of suspended businesses aside. Events that were already settled, or whose shard has another
-- owner, are left out.
-- $1 shards smallint[], $2 events bigint[], $3 times timestamptz[], $4 worker uuid
with gone as (
  delete from pending_events p
  using unnest($1::smallint[], $2::bigint[], $3::timestamptz[]) done (shard, id, at)
  where p.shard = done.shard and p.id = done.id and p.at = done.at
    and p.shard in (select shard from shards where owner = $4::uuid)
  returning p.business_id, p.id, p.at
)
insert into suspended_events (business_id, event_id, at) select business_id, id, at from gone on conflict do nothing
