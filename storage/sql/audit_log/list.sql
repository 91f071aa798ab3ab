-- Returns a page of a business's audit log, newest first. api/audit/audit_log.cpp inserts the conditions of a
-- request and the page in the marked places.
-- $1 business uuid
select guid, at, actor_type as "actor.type", actor_id as "actor.guid", actor_name as "actor.name", action,
       entity_type as "entityType", entity_id as "entityId", entity_name as "entityName", changes,
       request_id as "requestId", address
from audit_log
where business_id = $1::uuid/*filter*/
order by at desc, guid desc
/*page*/
