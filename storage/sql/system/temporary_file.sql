-- Makes the server write a temporary file of a few megabytes to the disk of the tables. It is gone at the end of the
-- statement. Fails (53100) if the disk has no room for it.
-- -> numbers bigint
select count(*) as numbers
from (select set_config('work_mem', '64kB', true) as memory, set_config('temp_tablespaces', '', true) as spaces) s,
     generate_series(1, 100000 + 0 * length(s.memory || s.spaces))
