-- Returns the workflows of an entity type, with the deleted ones that existed at one of the given times (the 100 that
-- were deleted last), each with the versions in force at one of these times and the newest version, oldest first.
-- $1 business uuid, $2 entity_type smallint, $3 times timestamptz[]
-- -> guid uuid, created_at timestamptz, deleted_at timestamptz or null, version_at timestamptz, name text or null,
-- trigger text or null, conditions text or null
with w as (
  select guid, created_at, deleted_at from workflows
  where business_id = $1::uuid and entity_type = $2::smallint and deleted_at is null
  union all
  (select guid, created_at, deleted_at from workflows w
   where business_id = $1::uuid and entity_type = $2::smallint and deleted_at is not null
     and exists (select from unnest($3::timestamptz[]) t (at) where t.at between w.created_at and w.deleted_at)
   order by deleted_at desc limit 100)
)
select w.guid, w.created_at, w.deleted_at, v.created_at as version_at, v.definition ->> 'name' as name, v.definition ->> 'trigger' as trigger,
       (v.definition -> 'conditions')::text as conditions
from w
join (select v.*, lead(v.created_at) over (partition by v.workflow_id order by v.version) as replaced_at
      from workflow_versions v where v.business_id = $1::uuid) v
  on v.workflow_id = w.guid
 and (v.replaced_at is null
      or exists (select from unnest($3::timestamptz[]) t (at) where t.at >= v.created_at and t.at < v.replaced_at))
order by w.created_at, w.guid, v.version
