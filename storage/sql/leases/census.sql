-- How many workers live.
select count(*) from workers where lease_end(guid) > clock_timestamp()
