-- Deletes timers of records whose field has no value that is still to come, unless a newer plan or event set them.
-- $1 businesses uuid[], $2 workflows uuid[], $3 records uuid[], $4 plans int[], $5 events bigint[]
delete from timers t
using unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::bigint[]) n (business_id, workflow_id, entity_id, plan, event_id)
where t.business_id = n.business_id and t.workflow_id = n.workflow_id and t.entity_id = n.entity_id
  and (t.plan, t.event_id) <= (n.plan, n.event_id)
