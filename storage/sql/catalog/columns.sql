-- Returns the column names of a table in the order of its composite value.
-- $1 table regclass
select a.attname from pg_attribute a
where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped
order by a.attnum
