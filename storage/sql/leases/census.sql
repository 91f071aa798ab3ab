-- Returns the number of living workers.
select count(*) from workers where lease_end(guid) > clock_timestamp()
