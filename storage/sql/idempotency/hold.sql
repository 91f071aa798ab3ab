-- $1 token, $2 key. Takes the key for this transaction; false while another one has it. The server ends the session of a
-- client that stays silent within the transaction, so that the key is free again when its API hangs.
select pg_try_advisory_xact_lock(hashtextextended('waybill.idempotency.' || $1::text || '.' || $2::text, 0)),
       set_config('idle_in_transaction_session_timeout', '8s', true)
