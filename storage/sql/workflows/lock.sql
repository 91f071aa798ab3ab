-- Locks a workflow and returns it.
-- $1 business uuid, $2 workflow uuid
select guid, name, entity_type as "entityType", trigger_code as trigger, action, conditions, is_active as "isActive",
       is_managed as "isManaged", ordered, delay,
       exists (select from workflow_secrets s where s.business_id = w.business_id and s.workflow_id = w.guid) as "hasSecret",
       encode(sealed_credentials, 'hex') as "sealedCredentials"
from workflows w
where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
for update
