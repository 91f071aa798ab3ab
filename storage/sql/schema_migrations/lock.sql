-- Locks migrations for this session, unless another session has them locked. The key is "waybill" in ASCII.
-- -> is_locked boolean
select pg_try_advisory_lock(33602696198581356) as is_locked
