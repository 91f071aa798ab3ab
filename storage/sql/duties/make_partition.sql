-- Creates a partition and returns whether it did.
-- $1 parent text, $2 first_day date
-- -> is_done boolean
select make_partition($1, $2::date) as is_done
