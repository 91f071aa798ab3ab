-- Locks timers in the order of their keys, before the statements of a transaction that change some of them each.
-- $1 businesses uuid[], $2 workflows uuid[], $3 records uuid[]
select from timers t
join unnest($1::uuid[], $2::uuid[], $3::uuid[]) n (business_id, workflow_id, entity_id)
  on t.business_id = n.business_id and t.workflow_id = n.workflow_id and t.entity_id = n.entity_id
order by t.business_id, t.workflow_id, t.entity_id
for update of t
