-- Locks a workflow. Returns whether it is managed, its version, its sealed credentials (in hex), and its definition.
-- $1 business uuid, $2 workflow uuid
-- -> is_managed boolean, version int, sealed_credentials text or null, ...
select is_managed, version, encode(sealed_credentials, 'hex') as sealed_credentials,
       guid, name, entity_type as "entityType", trigger_code as trigger, action, conditions, is_active as "isActive",
       ordered, delay, workdays, time_window as window, run_limit as "limit", request_rate as rate, cancel_on as "cancelOn",
       exists (select from workflow_secrets s where s.business_id = w.business_id and s.workflow_id = w.guid) as "hasSecret"
from workflows w
where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
for update
