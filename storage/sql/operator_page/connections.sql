-- Returns the connections to the database by application, for the page for operators. The names of the columns are its headings.
select coalesce(nullif(application_name, ''), 'others') as "Application", count(*) as "Connections",
       count(*) filter (where state = 'active') as "Active",
       count(*) filter (where state like 'idle in transaction%') as "In a transaction",
       count(*) filter (where wait_event_type = 'Lock') as "Waiting for a lock",
       current_setting('max_connections') as "Most of the server"
from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
group by 1 order by 2 desc, 1 limit 50
