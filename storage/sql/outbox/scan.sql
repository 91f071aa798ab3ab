-- $1 shards, $2 their low marks, $3 ids in flight, $4 how many of each shard, $5 whether to draw a
-- transaction id (pg_snapshot_xmax is no substitute: running transactions may be beyond it).
-- `not in` of a subquery is hashed; `<> all` would compare each row with each id.
-- The first row holds what the marks are moved by and the epoch of the workflows in this snapshot. The sequence is asked by
-- its function, which takes the page's lock: whoever selects from it may see a number that nobody has drawn, for nextval
-- shows the one it logs, up to 32 ahead, before its own (nextval_internal of PostgreSQL's sequence.c).
select -1::smallint as shard, coalesce(pg_sequence_last_value('event_ids'), 0) as id, null::uuid as business_id, null::timestamptz as at,
       (select epoch from workflow_epoch) as epoch, pg_snapshot_xmin(pg_current_snapshot())::text as xmin,
       case when $5::boolean then pg_current_xact_id()::text end as xid, null::xid as writer
union all
select p.shard, p.id, p.business_id, p.at, null, null, null, p.writer
from unnest($1::smallint[], $2::bigint[]) own (shard, low),
     lateral (select p.shard, p.id, p.business_id, p.at, p.xmin as writer
              from pending_events p
              where p.shard = own.shard and p.id > own.low and p.id not in (select unnest($3::bigint[]))
              order by p.id
              limit $4::bigint) p
