-- Returns the number of queued runs by status, and that of open digests.
-- -> waiting bigint, queued bigint, running bigint, retrying bigint, held bigint, digests bigint
select count(*) filter (where status = 'waiting') as waiting, count(*) filter (where status = 'queued') as queued,
       count(*) filter (where status = 'running') as running, count(*) filter (where status = 'retrying') as retrying,
       (select count(*) from run_queue where status = 'held') as held, (select count(*) from digests) as digests
from run_queue where status <> 'held'
