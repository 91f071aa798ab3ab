-- Waits for other processes that migrate, and locks migrations for this session. The key is "waybill" in
-- ASCII.
select pg_advisory_lock(33602696198581356)
