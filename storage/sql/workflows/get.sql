-- Returns a workflow, with stars for the values of its headers.
-- $1 business uuid, $2 workflow uuid
select guid, name, entity_type as "entityType", trigger_code as trigger,
       case when jsonb_typeof(action -> 'headers') = 'object'
            then jsonb_set(action, '{headers}', hidden_headers((action -> 'headers')::json)::jsonb) else action end as action,
       conditions, is_active as "isActive",
       is_managed as "isManaged", paused_reason as "pausedReason", version, ordered, delay, workdays,
       time_window as window, run_limit as "limit", request_rate as rate, cancel_on as "cancelOn",
       created_at as "createdAt", updated_at as "updatedAt"
from workflows
where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
