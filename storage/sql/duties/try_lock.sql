-- Tries to lock a duty for this session, so that no other worker performs it. Returns whether the session has
-- the lock.
-- $1 duty text
-- -> is_locked boolean
select pg_try_advisory_lock(hashtextextended('waybill.duty.' || $1, 0)) as is_locked
