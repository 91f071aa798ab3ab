-- Returns the settings that decide whether commits survive a crash, the number of synchronous standbys that a commit waits
-- for, and the connected standbys. The state of a standby is null for a role that may not see it.
-- -> fsync boolean, full_page_writes boolean, synchronous_commit text, standby_names text, needed bigint,
-- -> standbys bigint, synchronous bigint, hidden bigint
select s.fsync, s.full_page_writes, s.synchronous_commit, s.standby_names,
       case when s.standby_names = '' or s.synchronous_commit in ('off', 'local') then 0
            else coalesce((regexp_match(s.standby_names, '^\s*(?:(?:first|any)\s*)?(\d+)\s*\(', 'i'))[1]::bigint, 1)
       end as needed,
       r.standbys, r.synchronous, r.hidden
from (
  select current_setting('fsync')::boolean as fsync, current_setting('full_page_writes')::boolean as full_page_writes,
         current_setting('synchronous_commit') as synchronous_commit,
         current_setting('synchronous_standby_names') as standby_names
) s, (
  select count(*) filter (where r.state is null or r.state in ('streaming', 'catchup')) as standbys,
         count(*) filter (where r.state = 'streaming' and r.sync_state in ('sync', 'quorum')) as synchronous,
         count(*) filter (where r.state is null) as hidden
  from pg_stat_replication r
) r
