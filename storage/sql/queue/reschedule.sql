-- Runs of the queue that go on later or are held, if the worker $1 still has them. Arrays of one entry a run; request and
-- body where the run was queued without them.
with over as (
  select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::timestamptz[],
                       $9::text[], $10::text[], $11::text[])
    o (business_id, guid, status, code, error, attempts, due_at, tries, request, body)
)
\ir places.inc
update run_queue q
set status = p.status, code = p.code, error = p.error, attempts = p.attempts, due_at = p.due_at, tries = p.tries,
    request = coalesce(p.request, q.request), body = coalesce(p.body, q.body), lease_owner = null
from places p
where q.ctid = p.place and q.lease_owner = $1::uuid
