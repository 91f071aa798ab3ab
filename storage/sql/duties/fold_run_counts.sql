-- Folds the rows of each count of finished runs into one, at most a number of rows in total. A count with one row stays
-- unchanged. Returns the number of rows that it folded.
-- $1 limit bigint
-- -> folded bigint
with crowded as (
  select business_id, unit, start, workflow_id, status from run_counts
  group by business_id, unit, start, workflow_id, status having count(*) > 1
), part as materialized (
  select r.ctid as place from crowded c
  join run_counts r on r.business_id = c.business_id and r.unit = c.unit and r.start = c.start
       and r.workflow_id = c.workflow_id and r.status = c.status
  order by c.business_id, c.unit, c.start, c.workflow_id, c.status limit $1::bigint
), gone as (
  delete from run_counts r using part p where r.ctid = p.place returning r.*
), times as (
  select business_id, unit, start, workflow_id, status, jsonb_object_agg(bucket, runs) as latencies
  from (select g.business_id, g.unit, g.start, g.workflow_id, g.status, l.key as bucket, sum(l.value::bigint) as runs
        from gone g, jsonb_each_text(g.latencies) l group by 1, 2, 3, 4, 5, 6) b
  group by business_id, unit, start, workflow_id, status
), folded as (
  select business_id, unit, start, workflow_id, status, sum(runs) as runs, max(newest_at) as newest_at from gone
  group by business_id, unit, start, workflow_id, status
  having sum(runs) <> 0
), written as (
  insert into run_counts (business_id, unit, start, workflow_id, status, runs, latencies, newest_at)
  select f.business_id, f.unit, f.start, f.workflow_id, f.status, f.runs, t.latencies, f.newest_at
  from folded f left join times t using (business_id, unit, start, workflow_id, status)
)
select count(*) as folded from gone
