-- Returns the milliseconds until the next schedule is due; null if there is none.
-- -> wait_ms bigint or null
select ceil(extract(epoch from min(check_at) - statement_timestamp()) * 1000)::bigint as wait_ms
from schedules where check_at < 'infinity'
