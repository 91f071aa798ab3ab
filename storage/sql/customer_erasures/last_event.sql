-- Returns the id of the last event that was written so far.
-- -> id bigint
select coalesce(pg_sequence_last_value('event_ids'), 0) as id
