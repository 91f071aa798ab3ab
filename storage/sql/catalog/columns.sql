-- The columns a row of table $1 prints, in order.
select a.attname from pg_attribute a
where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped
order by a.attnum
