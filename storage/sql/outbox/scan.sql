-- Returns the pending events above each watermark, without those in flight. A watermark is of one business, or, with
-- the nil guid, of a shard without the businesses that are read separately. The first row has the values that move the
-- watermarks, the epoch of the workflows in this snapshot, and the time at which the statement began. Events of the
-- last minute are returned with their rows unless there are too many events in total; this saves the round trip of
-- fetch.sql and reads one partition. A transaction id is drawn because pg_snapshot_xmax is not a substitute: running
-- transactions can have higher ids. `not in` with a subquery is hashed; `<> all` would compare each row with each id.
-- Events in flight are compared by id and time, because an id can be assigned again. The sequence is read with a
-- function that takes the page's lock: a plain select can show a number that was never drawn, because nextval shows the
-- number that it logs, up to 32 ahead, before its own (nextval_internal in PostgreSQL's sequence.c).
-- $1 shards smallint[], $2 businesses uuid[], $3 watermarks bigint[], $4 limits bigint[] (of each watermark),
-- $5 separated uuid[], $6 in_flight_ids bigint[], $7 in_flight_times timestamptz[], $8 draw_xid boolean,
-- $9 max_with_rows bigint
-- -> shard smallint (-1: the first row), event bigint (in the first row the last id), writer xid or null,
-- epoch bigint or null, snapshot text or null, xid xid8 or null, owner uuid or null,
-- occurred_at timestamptz, ...
with found as materialized (
  select p.*
  from unnest($1::smallint[], $2::uuid[], $3::bigint[], $4::bigint[]) own (shard, business_id, low, most),
       lateral (select p.shard, p.id, p.business_id, p.at, p.xmin as writer
                from pending_events p
                where p.shard = own.shard and p.id > own.low
                  and case when p.business_id = own.business_id
                             or own.business_id = '00000000-0000-0000-0000-000000000000' and p.business_id <> all ($5::uuid[])
                        then (p.id, p.at) not in (select * from unnest($6::bigint[], $7::timestamptz[])) end
                order by p.id
                limit own.most) p
)
select -1::smallint as shard, coalesce(pg_sequence_last_value('event_ids'), 0) as event, null::xid as writer,
       (select epoch from workflow_epoch) as epoch, pg_current_snapshot()::text as snapshot,
       case when $8::boolean then pg_current_xact_id() end as xid, null::uuid as owner, statement_timestamp() as occurred_at,
       null::bigint as id, null::uuid as business_id, null::smallint as entity_type, null::uuid as entity_id,
       null::timestamptz as at, null::text as cause, null::text as detail, null::bytea as before, null::bytea as after
union all
select f.shard, f.id, f.writer, null, null, null, f.business_id, f.at, e.*
from found f
left join lateral (
  select
\ir event.inc
  from events e
  where (select count(*) from found) <= $9::bigint and e.id = f.id and e.at = f.at
    and e.at between now() - interval '1 minute' and now() + interval '1 minute'
  limit 1) e on true
