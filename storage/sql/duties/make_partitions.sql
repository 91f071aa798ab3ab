select make_partitions((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + 7)
