-- The runs of business $1, newest first; more conditions are put in at the mark. Run guids sort by time.
select guid, workflow_id as "workflowId", workflow_version as "workflowVersion", event_id as "eventId",
       (array['Order', 'Shipment', 'Customer', 'Product'])[entity_type + 1] as "entityType", entity_id as "entityId",
       trigger_code as trigger, status, code, error, attempts, created_at as "createdAt",
       next_attempt_at as "nextAttemptAt", finished_at as "finishedAt", replay_of as "replayOf"
from all_runs
where business_id = $1::uuid/*where*/
order by guid desc
