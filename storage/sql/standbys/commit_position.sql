-- Returns a position of the write-ahead log that covers everything that this session has committed. Without
-- synchronous_commit, a commit may not be flushed yet.
-- -> timeline text (hexadecimal), lsn text
select left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) as timeline,
  (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
   else pg_current_wal_flush_lsn() end)::text as lsn
