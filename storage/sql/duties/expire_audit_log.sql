-- Deletes entries of the audit log that are older than the retention. Returns the number of deleted entries.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select ctid as place from audit_log where at < now() - make_interval(days => $1::integer) order by at limit $2::bigint
), gone as (
  delete from audit_log a using old where a.ctid = old.place returning 1
)
select count(*) as expired from gone
