-- Returns the running processes for the page for operators. The names of the columns are its headings.
select name as "Process", version as "Version", started_at::timestamptz(0) as "Started", connections as "Most connections"
from processes where process_lives(guid)
order by name limit 200
