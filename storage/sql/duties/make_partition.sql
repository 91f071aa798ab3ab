-- Creates a partition and returns whether it did.
-- $1 table text, $2 first_day date
select make_partition($1, $2::date) as is_done
