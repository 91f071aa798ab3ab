-- Runs of the queue that go on later or are held, if the worker $1 still has them. Arrays of one entry a run.
update run_queue q
set status = o.status, code = o.code, error = o.error, attempts = o.attempts, due_at = o.due_at, tries = o.tries,
    lease_owner = null
from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::timestamptz[],
            $9::text[]) o (business_id, guid, status, code, error, attempts, due_at, tries)
where q.business_id = o.business_id and q.guid = o.guid and q.status = 'running' and q.lease_owner = $1::uuid
