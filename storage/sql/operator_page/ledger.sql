-- Returns the last check of the ledger and the businesses that checks of the last 7 days have found, the newest first, for the page
-- for operators. The names of the columns are its headings.
select t.ended_at::timestamptz(0) as "Last check",
       coalesce(f.business_id::text, case when t.ended_at is null then 'not checked yet' else 'balanced' end) as "Business",
       f.first_time::timestamptz(0) as "Events from", f.end_time::timestamptz(0) as "to", f.found_at::timestamptz(0) as "Found"
from (select max(ended_at) as ended_at from duty_turns where duty = 'check_ledger') t
left join lateral (select * from ledger_findings
                   where found_at > now() - interval '7 days' order by found_at desc limit 50) f on true
