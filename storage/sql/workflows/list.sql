-- Returns a business's workflows of an entity type, oldest first.
-- $1 business uuid, $2 entity_type smallint, $3 include_managed boolean
select guid, name, trigger_code as trigger, split_part(action ->> 'type', ':', 1) as action, is_active as "isActive",
       is_managed as "isManaged"
from workflows
where business_id = $1::uuid and entity_type = $2::smallint and deleted_at is null and (not is_managed or $3::boolean)
order by created_at, guid
