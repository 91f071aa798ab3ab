-- Updates runs that continue later or are held, if the worker still holds them.
-- $1 worker, $2 businesses, $3 runs, $4 statuses, $5 codes, $6 errors, $7 attempts, $8 due times, $9 `tries`,
-- $10 requests (null: stored already), $11 bodies (null: stored already)
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
