-- $1 how many days are kept.
select drop_position_partitions((now() at time zone 'UTC')::date - $1::integer)
