-- Deletes timers and scans of deleted workflows, and results whose value no offset (366 days at most) can make due again, or
-- whose workflow was deleted before the retention. Returns the number of rows.
-- $1 limit bigint, $2 retention_days int
-- -> deleted bigint
with dead as (
  select w.business_id, w.guid from workflows w
  where w.deleted_at is not null and starts_with(unnumbered_form(w.trigger_code), 'timer:')
), no_timers as (
  delete from timers t using (select t.ctid as place from dead d join timers t on t.business_id = d.business_id and t.workflow_id = d.guid
                              limit $1::bigint) o
  where t.ctid = o.place returning 1
), no_scans as (
  delete from timer_scans s using dead d where s.business_id = d.business_id and s.workflow_id = d.guid returning 1
), no_results as (
  delete from timer_results r using (select ctid as place from timer_results
                                     where value < now() - interval '367 days' limit $1::bigint) o
  where r.ctid = o.place returning 1
), no_old_results as (
  delete from timer_results r
  using (select t.ctid as place from workflows w
         join timer_results t on t.business_id = w.business_id and t.workflow_id = w.guid
         where w.deleted_at < now() - make_interval(days => $2::integer + 2) limit $1::bigint) o
  where r.ctid = o.place and r.value >= now() - interval '367 days' returning 1
)
select (select count(*) from no_timers) + (select count(*) from no_scans) + (select count(*) from no_results)
         + (select count(*) from no_old_results) as deleted
