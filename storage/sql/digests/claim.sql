-- Locks due digests of some shards that no other session has locked: those of the businesses that come first, apart from those that
-- had a turn. Returns them with the state of their workflows. The epoch is that of the workflows in this snapshot. Each has an id
-- for its run.
-- $1 shards smallint[], $2 had_turn uuid[], $3 businesses_of_shard bigint, $4 limit_of_business bigint
-- -> business_id uuid, guid uuid, workflow_id uuid, version int, began_at timestamptz, due_at timestamptz, bytes bigint,
-- run_event bigint, is_deleted boolean, epoch bigint
with next as materialized (
  select distinct s.shard, l.business_id
  from unnest($1::smallint[]) s (shard),
       lateral (select d.business_id from digests d
                where d.shard = s.shard and d.check_at <= statement_timestamp() and d.business_id <> all ($2::uuid[])
                order by d.check_at limit $3::bigint) l
)
select l.business_id, l.guid, l.workflow_id, l.version, l.began_at, l.due_at, l.bytes, nextval('eventless_ids') as run_event,
       w.guid is null or w.deleted_at is not null as is_deleted, (select epoch from workflow_epoch) as epoch
from next n
cross join lateral (select * from digests d
                    where d.shard = n.shard and d.business_id = n.business_id and d.check_at <= statement_timestamp()
                    order by d.check_at limit $4::bigint
                    for update skip locked) l
left join workflows w on w.business_id = l.business_id and w.guid = l.workflow_id
order by l.business_id, l.due_at, l.guid
