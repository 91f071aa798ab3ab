-- Returns the milliseconds until the next schedule is due; null if there is none. Also returns whether the time zone of a
-- business has changed.
-- $1 passed_over uuid[] (businesses whose schedules do not count)
-- -> wait_ms bigint or null, has_changed_zone boolean
select ceil(extract(epoch from min(check_at) - statement_timestamp()) * 1000)::bigint as wait_ms,
       exists (select from changed_zones) as has_changed_zone
from schedules where check_at < 'infinity' and business_id <> all ($1::uuid[])
