-- Notes for which purchases runs in the queue wait, or that they no longer wait for one.
-- $1 businesses uuid[], $2 workflows uuid[], $3 runs uuid[], $4 purchases uuid[] (null element: none)
with over as (
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[]) o (business_id, workflow_id, guid, purchase)
),
\ir places.inc
update run_queue q set awaited_purchase = p.purchase
from places p
where q.business_id = p.business_id and q.workflow_id = p.workflow_id and q.guid = p.guid
  and q.awaited_purchase is distinct from p.purchase
