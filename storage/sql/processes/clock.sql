-- Returns the server's time.
-- -> now timestamptz
select clock_timestamp() as now
