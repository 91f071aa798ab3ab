-- Returns the identifier of the primary's cluster, its current position, and whether its timeline is noted.
-- -> cluster bigint, timeline text (hexadecimal), lsn text, is_noted boolean
select c.system_identifier as cluster, p.timeline, p.lsn::text as lsn,
  exists (select from timelines t
          where t.cluster = c.system_identifier and t.timeline = ('x' || p.timeline)::bit(32)::bigint) as is_noted
from pg_control_system() c,
  (select left(pg_walfile_name(pg_current_wal_flush_lsn()), 8), pg_current_wal_flush_lsn()) p (timeline, lsn)
