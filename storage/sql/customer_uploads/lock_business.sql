-- Locks the confirmation of uploads of a business until the transaction ends, so that two uploads with the
-- same customers never wait for each other. Returns false if another transaction has the lock.
-- $1 business uuid
-- -> is_locked boolean
select pg_try_advisory_xact_lock(hashtextextended('waybill.customer_uploads.' || $1::uuid::text, 0)) as is_locked
