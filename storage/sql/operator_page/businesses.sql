-- Returns the 100 businesses with the most queued runs for the page for operators, with their part of the queue and their run that
-- has been due the longest. The names of the columns are its headings. The counts of runs are those of the day (UTC).
select b.guid as "Business",
       case when b.deleting_at is not null then 'deleting' when b.suspended_at is not null then 'suspended'
            else 'active' end as "Status",
       b.plan as "Plan", b.queued as "Queued",
       round(100.0 * b.queued / nullif(sum(b.queued) over (), 0), 1) as "Queued, %", b.first_due::timestamptz(0) as "First due",
       b.held as "Held", r.ended as "Ended today", r.dead as "Dead today",
       (select count(*) from workflows w where w.business_id = b.guid and w.deleted_at is null) as "Workflows",
       (select coalesce(sum(c.delta) filter (where c.entity_type = 0), 0)
        from record_counts c where c.business_id = b.guid) as "Orders"
from (
  select b.guid, b.deleting_at, b.suspended_at, b.plan, coalesce(q.queued, 0) as queued, coalesce(q.held, 0) as held,
         q.first_due
  from businesses b
  left join (select business_id, count(*) filter (where status <> 'held') as queued,
                    count(*) filter (where status = 'held') as held,
                    min(due_at) filter (where status in ('queued', 'retrying')) as first_due
             from run_queue group by business_id) q on q.business_id = b.guid
  order by queued desc, held desc, b.guid limit 100
) b
cross join lateral (
  select coalesce(sum(c.runs), 0) as ended, coalesce(sum(c.runs) filter (where c.status = 'dead'), 0) as dead
  from run_counts c
  where c.business_id = b.guid and c.unit = 'day' and c.start = date_trunc('day', now(), 'UTC')
) r
order by b.queued desc, b.held desc, b.guid
