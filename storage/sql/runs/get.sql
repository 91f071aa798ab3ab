-- Returns a run with its request, its steps and its attempts.
-- $1 business uuid, $2 run uuid, $3 no_record uuid
select guid, workflow_id as "workflowId", workflow_version as "workflowVersion", case when event_id >= 0 then event_id end as "eventId",
       (array['Order', 'Shipment', 'Customer', 'Product'])[entity_type + 1] as "entityType", nullif(entity_id, $3::uuid) as "entityId",
       trigger_code as trigger, status, code, error, attempts, created_at as "createdAt",
       -- The time of the next attempt of a postponed run is unknown.
       nullif(next_attempt_at, (select q.postponed_until from run_queue q
                                where q.business_id = $1::uuid and q.guid = all_runs.guid)) as "nextAttemptAt",
       finished_at as "finishedAt", replay_of as "replayOf",
       failed_steps(status, steps) as "failedSteps",
       case when request <> 'null' then shown_request($1::uuid, action, request::json, body) end as request,  -- null if not rendered
       shown_steps(action, status, code, error, finished_at, tries, steps) as steps,
       shown_tries(tries) as tries
from all_runs
where business_id = $1::uuid and guid = $2::uuid
