-- Returns the queued runs by status for the page for operators. The names of the columns are its headings.
select status as "Status", count(*) as "Runs",
       (min(due_at) filter (where status in ('queued', 'retrying')))::timestamptz(0) as "First due"
from run_queue group by status order by status
