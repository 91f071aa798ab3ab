-- Adds an entry about data that was erased, exported or read. The author is that of the session.
-- $1 business uuid, $2 action text, $3 entity_type text, $4 entity uuid, $5 entity_name text or null
insert into audit_log (business_id, actor_type, actor_id, actor_name, action, entity_type, entity_id, entity_name, changes,
                       request_id, address)
select $1::uuid, coalesce(c #>> '{by,type}', 'sql'), (c #>> '{by,guid}')::uuid, c #>> '{by,name}', $2, $3, $4::uuid, $5, '{}',
       c #>> '{request,id}', c #>> '{request,address}'
from event_cause() c
