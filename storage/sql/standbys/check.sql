-- Returns whether the server is a standby, and how far it has replayed. A statement that follows on the same connection
-- sees at least this state. The timeline is the newest one in the table `timelines` of the server.
-- $1 cluster bigint
-- -> is_standby boolean, timeline bigint, lsn text or null
select pg_is_in_recovery() as is_standby,
  coalesce((select max(timeline) from timelines where cluster = $1::bigint), 0) as timeline,
  pg_last_wal_replay_lsn()::text as lsn
