-- The workflows of business $1 for the entity type $2 that were there at $3 or later, deleted ones too, each with its versions,
-- oldest first.
select w.guid, w.created_at, w.deleted_at, v.created_at as version_at, v.definition ->> 'name' as name, v.definition ->> 'trigger' as trigger,
       (v.definition -> 'conditions')::text as conditions
from workflows w
join workflow_versions v on v.business_id = w.business_id and v.workflow_id = w.guid
where w.business_id = $1::uuid and w.entity_type = $2::smallint and (w.deleted_at is null or w.deleted_at >= $3::timestamptz)
order by w.created_at, w.guid, v.version
