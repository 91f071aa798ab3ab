-- Lets locked timers be looked at again later: their workflow is unreadable here, or its business suspended.
-- $1 businesses uuid[], $2 workflows uuid[], $3 records uuid[], $4 delay interval
update timers t set check_at = statement_timestamp() + $4::interval
from unnest($1::uuid[], $2::uuid[], $3::uuid[]) n (business_id, workflow_id, entity_id)
where t.business_id = n.business_id and t.workflow_id = n.workflow_id and t.entity_id = n.entity_id
