-- Returns the workflows of an entity type that existed at the first of the given times or later, including
-- deleted ones, each with the versions in force at one of these times and the newest version, oldest first.
-- $1 business uuid, $2 entity_type smallint, $3 times timestamptz[]
-- -> guid uuid, created_at timestamptz, deleted_at timestamptz or null, version_at timestamptz, name text or null,
-- trigger text or null, conditions text or null
select w.guid, w.created_at, w.deleted_at, v.created_at as version_at, v.definition ->> 'name' as name, v.definition ->> 'trigger' as trigger,
       (v.definition -> 'conditions')::text as conditions
from workflows w
join (select v.*, lead(v.created_at) over (partition by v.workflow_id order by v.version) as replaced_at
      from workflow_versions v where v.business_id = $1::uuid) v
  on v.business_id = w.business_id and v.workflow_id = w.guid
 and (v.replaced_at is null
      or exists (select from unnest($3::timestamptz[]) t (at) where t.at >= v.created_at and t.at < v.replaced_at))
where w.business_id = $1::uuid and w.entity_type = $2::smallint
  and (w.deleted_at is null or w.deleted_at >= (select min(t.at) from unnest($3::timestamptz[]) t (at)))
order by w.created_at, w.guid, v.version
