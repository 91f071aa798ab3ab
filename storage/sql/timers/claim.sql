-- Locks the first due timers of each shard that no other worker has locked, and returns them with the state of their
-- workflows. The epoch is that of the workflows in this snapshot. Each has an id for its run, in the order of the times.
-- $1 shards smallint[], $2 limit_of_shard bigint
-- -> business_id uuid, workflow_id uuid, entity_id uuid, plan int, value timestamptz, due_at timestamptz, depth smallint,
-- run_event bigint, was_on boolean, is_deleted boolean, epoch bigint, shard smallint
select
\ir answer.inc
, d.shard
from (select l.*
      from unnest($1::smallint[]) s (shard),
           lateral (select * from timers t
                    where t.shard = s.shard and t.check_at <= statement_timestamp()
                    order by t.check_at limit $2::bigint
                    for update skip locked) l
      order by l.due_at, l.business_id, l.workflow_id, l.entity_id) d
left join workflows w on w.business_id = d.business_id and w.guid = d.workflow_id
