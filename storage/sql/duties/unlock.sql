-- Unlocks a duty.
-- $1 duty text
select pg_advisory_unlock(hashtextextended('waybill.duty.' || $1, 0))
