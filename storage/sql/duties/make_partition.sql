-- $1 the table, $2 the first day.
select make_partition($1, $2::date)
