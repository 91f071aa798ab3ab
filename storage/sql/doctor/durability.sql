-- Returns the settings that decide whether commits survive a crash, and the connected standbys. The state of a
-- standby is null for a role that may not see it.
-- -> fsync boolean, full_page_writes boolean, synchronous_commit text, standby_names text, standbys bigint,
-- -> synchronous bigint, hidden bigint
select current_setting('fsync')::boolean as fsync, current_setting('full_page_writes')::boolean as full_page_writes,
       current_setting('synchronous_commit') as synchronous_commit,
       current_setting('synchronous_standby_names') as standby_names,
       count(*) filter (where r.state is null or r.state in ('streaming', 'catchup')) as standbys,
       count(*) filter (where r.state = 'streaming' and r.sync_state in ('sync', 'quorum')) as synchronous,
       count(*) filter (where r.state is null) as hidden
from pg_stat_replication r
