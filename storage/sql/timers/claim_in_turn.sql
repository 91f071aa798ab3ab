-- Like timers/claim.sql, for some businesses of one shard, a few timers of each.
-- $1 shard smallint, $2 businesses uuid[], $3 limit_of_business bigint
-- -> business_id uuid, workflow_id uuid, entity_id uuid, plan int, value timestamptz, due_at timestamptz, depth smallint,
-- run_event bigint, was_on boolean, is_deleted boolean, epoch bigint
select
\ir answer.inc
from (select l.*
      from unnest($2::uuid[]) b (business_id),
           lateral (select * from timers t
                    where t.shard = $1 and t.business_id = b.business_id and t.check_at <= statement_timestamp()
                    order by t.check_at limit $3::bigint
                    for update skip locked) l
      order by l.due_at, l.business_id, l.workflow_id, l.entity_id) d
left join workflows w on w.business_id = d.business_id and w.guid = d.workflow_id
