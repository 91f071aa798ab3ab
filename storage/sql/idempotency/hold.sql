-- Locks an idempotency key for this transaction. Returns false if another transaction of the service has it. If a stranger
-- has the lock, the transaction continues without it; `keep` then refuses the second of two equal requests. The server
-- ends the session of a client that is idle in the transaction for 8 s, so that the key is free again if its API
-- process hangs.
-- $1 token uuid, $2 key text
-- -> is_held boolean, ...
select case when pg_try_advisory_xact_lock(k.key) then true else not has_own_holder(k.key) end as is_held,
       set_config('idle_in_transaction_session_timeout', '8s', true)
from (select hashtextextended('waybill.idempotency.' || $1::uuid::text || '.' || $2::text, 0) as key) k
