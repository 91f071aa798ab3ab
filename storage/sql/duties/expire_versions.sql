-- Deletes versions of workflows: those replaced before the retention except the newest 20, all but the newest
-- 1000 of any age, and all versions of workflows deleted before the retention. A version that a queued run
-- uses stays. Returns the number of deleted versions.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with replaced as materialized (
  select w.business_id, w.guid as workflow_id, v.version, v.place
  from workflows w
  cross join lateral (
    select v.ctid as place, v.version,
           (select n.created_at from workflow_versions n
            where n.business_id = v.business_id and n.workflow_id = v.workflow_id and n.version > v.version
            order by n.version limit 1) as replaced_at
    from workflow_versions v
    where v.business_id = w.business_id and v.workflow_id = w.guid
      and (v.version <= w.version - 20 or w.deleted_at is not null)) v
  where (w.version > 20 or w.deleted_at < now() - make_interval(days => $1::integer))
    and (v.version <= w.version - 1000
         or least(v.replaced_at, w.deleted_at) < now() - make_interval(days => $1::integer)
            and (v.version <= w.version - 20 or w.deleted_at < now() - make_interval(days => $1::integer)))
), old as materialized (
  select r.place
  from replaced r
  join (select s.business_id, s.workflow_id,
               array(select distinct q.workflow_version from run_queue q
                     where q.business_id = s.business_id and q.workflow_id = s.workflow_id) as versions
        from (select distinct business_id, workflow_id from replaced) s) used using (business_id, workflow_id)
  where r.version <> all (used.versions)
  limit $2::bigint
), gone as (
  delete from workflow_versions v using old where v.ctid = old.place returning 1
)
select count(*) as expired from gone
