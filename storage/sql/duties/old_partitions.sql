-- Returns the partitions that ended before the retention, oldest first.
-- $1 days int (of events and runs), $2 positions_days int
-- -> partition name
select c.relname as partition
from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
where i.inhparent in ('events'::regclass, 'runs'::regclass, 'run_step_texts'::regclass, 'digest_events'::regclass,
                      'mail_addresses'::regclass, 'positions'::regclass) and c.relname ~ '_[0-9]{8}$'
  and to_date(right(c.relname, 8), 'YYYYMMDD') + partition_days(p.relname)
      <= (now() at time zone 'UTC')::date - case p.relname when 'positions' then $2::integer else $1::integer end
order by right(c.relname, 8), c.relname
