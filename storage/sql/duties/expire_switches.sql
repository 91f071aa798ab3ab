-- Deletes switches of workflows, $2 at most: those that were followed by another more than $1 days ago, so that the last one
-- before stays, which tells how an event of then found the workflow; and all but the newest 1000 of a workflow. Answers how
-- many.
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
select count(*) from gone
