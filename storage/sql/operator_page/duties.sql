-- Returns when each background duty was last performed, for the page for operators. The names of the columns are its headings.
select duty as "Duty", ended_at::timestamptz(0) as "Last performed",
       case when session_lives(session_pid, session_start) then taken_at::timestamptz(0) end as "Under way since"
from duty_turns order by duty limit 100
