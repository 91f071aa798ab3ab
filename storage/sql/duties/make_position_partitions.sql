select make_position_partitions((now() at time zone 'UTC')::date - 28, (now() at time zone 'UTC')::date + 14)
