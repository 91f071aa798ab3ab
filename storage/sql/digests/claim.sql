-- Locks due digests of some businesses that no other session has locked. Returns them with the state of their workflows. The epoch
-- is that of the workflows in this snapshot. Each has an id for its run.
-- $1 shards smallint[], $2 businesses uuid[] (of these shards), $3 limit_of_business bigint
-- -> business_id uuid, guid uuid, workflow_id uuid, version int, began_at timestamptz, bytes bigint, run_event bigint,
-- is_deleted boolean, epoch bigint
select l.business_id, l.guid, l.workflow_id, l.version, l.began_at, l.bytes, nextval('eventless_ids') as run_event,
       w.guid is null or w.deleted_at is not null as is_deleted, (select epoch from workflow_epoch) as epoch
from unnest($1::smallint[], $2::uuid[]) n (shard, business_id)
cross join lateral (select * from digests d
                    where d.shard = n.shard and d.business_id = n.business_id and d.check_at <= statement_timestamp()
                    order by d.check_at limit $3::bigint
                    for update skip locked) l
left join workflows w on w.business_id = l.business_id and w.guid = l.workflow_id
order by l.business_id, l.due_at, l.guid
