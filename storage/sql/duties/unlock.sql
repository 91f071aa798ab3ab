-- Unlocks a duty.
-- $1 duty
select pg_advisory_unlock(hashtextextended('waybill.duty.' || $1, 0))
