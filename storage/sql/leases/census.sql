-- How many workers live: seen within $1.
select count(*) from workers where seen_at > clock_timestamp() - $1::interval
