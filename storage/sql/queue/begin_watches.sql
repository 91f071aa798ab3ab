-- Notes for new runs without an event that later events of their record concern them: those that are not visible now.
-- $1 businesses uuid[], $2 workflows uuid[], $3 runs uuid[]
with over as (
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[]) o (business_id, workflow_id, guid)
),
\ir places.inc
update run_queue q set watch_after = last_event(q.business_id, q.entity_id)
from places p
where q.business_id = p.business_id and q.workflow_id = p.workflow_id and q.guid = p.guid
