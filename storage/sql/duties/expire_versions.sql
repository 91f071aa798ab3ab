-- Deletes versions of workflows, $2 at most: those that were replaced more than $1 days ago, but the newest 20; all but the
-- newest 1000, however young; and all of a workflow that was deleted as long ago. A version that a queued run names stays.
-- Answers how many.
with old as materialized (
  select v.place
  from workflows w
  cross join lateral (select array(select distinct q.workflow_version from run_queue q
                                   where q.business_id = w.business_id and q.workflow_id = w.guid) as versions) used
  cross join lateral (
    select v.ctid as place, v.version,
           (select n.created_at from workflow_versions n
            where n.business_id = v.business_id and n.workflow_id = v.workflow_id and n.version > v.version
            order by n.version limit 1) as replaced_at
    from workflow_versions v
    where v.business_id = w.business_id and v.workflow_id = w.guid
      and (v.version <= w.version - 20 or w.deleted_at is not null)) v
  where (w.version > 20 or w.deleted_at < now() - make_interval(days => $1::integer))
    and v.version <> all (used.versions)
    and (v.version <= w.version - 1000
         or least(v.replaced_at, w.deleted_at) < now() - make_interval(days => $1::integer)
            and (v.version <= w.version - 20 or w.deleted_at < now() - make_interval(days => $1::integer)))
  limit $2::bigint
), gone as (
  delete from workflow_versions v using old where v.ctid = old.place returning 1
)
select count(*) from gone
