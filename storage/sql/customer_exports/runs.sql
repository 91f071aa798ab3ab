-- Returns the runs of records, oldest first, with what they send.
-- $1 business uuid, $2 records uuid[]
select r.guid, r.workflow_id as "workflowId", r.entity_id as "entityId", r.trigger_code as trigger, r.action, r.status, r.code,
       r.created_at as "createdAt", r.finished_at as "finishedAt",
       shown_request(r.business_id, r.action, r.request::json, r.body) as request
from all_runs r
where r.business_id = $1 and r.entity_id = any ($2::uuid[])
order by r.guid
