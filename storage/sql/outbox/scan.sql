-- $1 shards, $2 their low marks, $3 ids and $4 times of the events in flight, $5 how many of each shard, $6 whether to draw a
-- transaction id (pg_snapshot_xmax is no substitute: running transactions may be beyond it), $7 up to how many events come
-- with their rows, which spares the round trip of fetch.sql: those of the last minute, so that one partition is looked at.
-- `not in` of a subquery is hashed; `<> all` would compare each row with each id. An id in flight may have been drawn again
-- for another event, which the time tells.
-- The first row holds what the marks are moved by and the epoch of the workflows in this snapshot. The sequence is asked by
-- its function, which takes the page's lock: whoever selects from it may see a number that nobody has drawn, for nextval
-- shows the one it logs, up to 32 ahead, before its own (nextval_internal of PostgreSQL's sequence.c).
with found as materialized (
  select p.*
  from unnest($1::smallint[], $2::bigint[]) own (shard, low),
       lateral (select p.shard, p.id, p.business_id, p.at, p.xmin as writer
                from pending_events p
                where p.shard = own.shard and p.id > own.low
                  and (p.id, p.at) not in (select * from unnest($3::bigint[], $4::timestamptz[]))
                order by p.id
                limit $5::bigint) p
)
select -1::smallint as shard, coalesce(pg_sequence_last_value('event_ids'), 0) as event_id, null::xid as writer,
       (select epoch from workflow_epoch) as epoch, pg_snapshot_xmin(pg_current_snapshot()) as xmin,
       case when $6::boolean then pg_current_xact_id() end as xid, null::uuid as owner, null::timestamptz as occurred_at,
       null::bigint as id, null::uuid as business_id, null::smallint as entity_type, null::uuid as entity_id,
       null::timestamptz as at, null::text as cause, null::bytea as before, null::bytea as after
union all
select f.shard, f.id, f.writer, null, null, null, f.business_id, f.at, e.*
from found f
left join lateral (
  select
\ir event.inc
  from events e
  where (select count(*) from found) <= $7::bigint and e.id = f.id and e.at = f.at
    and e.at between now() - interval '1 minute' and now() + interval '1 minute'
  limit 1) e on true
