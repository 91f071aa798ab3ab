-- Creates a partition and returns whether it did.
-- $1 table, $2 first day
select make_partition($1, $2::date) as is_done
