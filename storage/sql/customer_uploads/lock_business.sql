-- Locks the confirmation of uploads of a business until the transaction ends, so that two uploads with the
-- same customers never wait for each other. No row if another transaction has the lock.
-- $1 business uuid
-- -> is_locked boolean
select true as is_locked from work_locks
where kind = 'customer_uploads' and slot = work_slot($1::uuid::text) for update skip locked
