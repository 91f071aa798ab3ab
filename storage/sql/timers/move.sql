-- Moves locked timers to other times, because the calendar of their business has changed.
-- $1 businesses uuid[], $2 workflows uuid[], $3 records uuid[], $4 dues timestamptz[]
update timers t set due_at = n.due_at, check_at = n.due_at
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) n (business_id, workflow_id, entity_id, due_at)
where t.business_id = n.business_id and t.workflow_id = n.workflow_id and t.entity_id = n.entity_id
