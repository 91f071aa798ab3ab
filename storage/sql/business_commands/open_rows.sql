-- Opens a cursor of a business's rows in one of its tables, as JSON objects without secrets. Returns the cursor's name.
-- $1 business uuid, $2 table_name text
-- -> cursor text
select rows_of($1::uuid, $2::text)::text as cursor
