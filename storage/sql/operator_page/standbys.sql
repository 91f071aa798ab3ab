-- Returns the connected standbys for the page for operators. The names of the columns are its headings. The state of a standby is
-- null for a role that may not see it.
select application_name as "Standby", state as "State", sync_state as "Commits wait",
       pg_size_pretty(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
                                      replay_lsn)) as "Behind",
       round(extract(epoch from replay_lag)::numeric, 3) as "Replay lag, s"
from pg_stat_replication order by application_name limit 50
