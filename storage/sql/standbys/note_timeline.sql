-- Notes the primary's current timeline.
insert into timelines (cluster, timeline)
select c.system_identifier, ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::bigint
from pg_control_system() c
on conflict do nothing
