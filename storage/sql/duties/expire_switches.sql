-- Deletes switches of workflows that were followed by another one before the retention, and all but the
-- newest 1000 of a workflow. The last switch before the retention stays: it decides whether the workflow was
-- active for the oldest stored events. Returns the number of deleted switches.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select s.place
  from (select ctid as place, row_number() over newest as number, lag(at) over newest as followed_at
        from workflow_switches
        window newest as (partition by business_id, workflow_id order by at desc)) s
  where s.followed_at < now() - make_interval(days => $1::integer) or s.number > 1000
  limit $2::bigint
), gone as (
  delete from workflow_switches s using old where s.ctid = old.place returning 1
)
select count(*) as expired from gone
