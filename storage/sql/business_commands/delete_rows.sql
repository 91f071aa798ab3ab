-- Deletes at most a number of a business's rows from one of its tables. Returns how many were deleted.
-- $1 business uuid, $2 table_name text, $3 limit bigint
-- -> deleted bigint
select delete_rows_of($1::uuid, $2::text, $3::bigint) as deleted
