-- Locks an idempotency key for this transaction. Returns false if another transaction has it. The server ends
-- the session of a client that is idle in the transaction for 8 s, so that the key is free again if its API
-- process hangs.
-- $1 token text, $2 key text
select pg_try_advisory_xact_lock(hashtextextended('waybill.idempotency.' || $1::text || '.' || $2::text, 0)),
       set_config('idle_in_transaction_session_timeout', '8s', true)
