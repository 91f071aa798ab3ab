-- Cancels the statements of server processes that wait for the lock of a table, and returns those processes.
-- $1 pids text[] (numbers)
-- -> pid int
select w.pid
from (select distinct l.pid from pg_locks l
      where l.pid = any ($1::text[]::integer[]) and l.locktype = 'relation' and not l.granted) w
where pg_cancel_backend(w.pid)
