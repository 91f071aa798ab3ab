-- Makes digests due that began with an earlier version of their workflow, or whose workflow is deleted. Forgets the changes whose
-- time is over. Returns the number of digests.
-- $1 shards smallint[], $2 limit bigint
-- -> closed bigint
with changed as materialized (
  select c.business_id, c.workflow_id, c.version, w.guid is null or w.deleted_at is not null as is_deleted
  from digest_closings c
  left join workflows w on w.business_id = c.business_id and w.guid = c.workflow_id
  where shard_of(c.business_id) = any ($1::smallint[])
), earlier as materialized (
  select d.business_id, d.guid
  from changed c
  join digests d on d.business_id = c.business_id and d.workflow_id = c.workflow_id and not d.is_full
                    and (d.version < c.version or c.is_deleted)
  limit $2::bigint
  for update of d skip locked
), closed as (
  update digests d set is_full = true, due_at = least(d.due_at, statement_timestamp()), check_at = statement_timestamp()
  from earlier e where d.business_id = e.business_id and d.guid = e.guid
  returning 1
), over as (
  delete from digest_closings c
  where shard_of(c.business_id) = any ($1::smallint[]) and c.until < statement_timestamp() and not exists (select from earlier)
)
select count(*) as closed from closed
