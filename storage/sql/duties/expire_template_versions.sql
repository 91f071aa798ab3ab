-- Deletes versions of templates that were replaced before the retention, except the newest 20, and all but
-- the newest 1000 of any age. Returns the number of deleted versions.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select v.ctid as place
  from templates t
  join template_versions v on v.business_id = t.business_id and v.template_id = t.guid and v.version <= t.version - 20
  where t.version > 20
    and (v.version <= t.version - 1000
         or (select n.created_at from template_versions n
             where n.business_id = v.business_id and n.template_id = v.template_id and n.version > v.version
             order by n.version limit 1) < now() - make_interval(days => $1::integer))
  limit $2::bigint
), gone as (
  delete from template_versions v using old where v.ctid = old.place returning 1
)
select count(*) as expired from gone
