-- Returns the column names of a table in the order of its composite value.
-- $1 record_table regclass
-- -> name name
select a.attname as name from pg_attribute a
where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped
order by a.attnum
