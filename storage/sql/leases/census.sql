-- Returns the number of living workers.
-- -> alive bigint
select count(*) as alive from workers where lease_end(guid) > clock_timestamp()
