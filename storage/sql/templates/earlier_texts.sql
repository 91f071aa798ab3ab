-- Returns those of some templates, each as of a time, that have changed since, also if they are deleted or have another code now:
-- the definition of the version then, null for a code without a template then. A code that had no template then has that of the
-- nearest time at which the version of the workflow was the current one: a run can be matched with a version that was made after
-- its event, and be rendered after a later one. A version of a template that is no longer stored is left out.
-- $1 runs uuid[], $2 businesses uuid[], $3 codes text[], $4 times timestamptz[], $5 workflows uuid[], $6 versions int[]
-- -> run uuid, code text, definition text or null
with open as materialized (
  select w.*, greatest(v.created_at, least(w.at, n.created_at)) as in_version, p.guid as present, p.created_at as made_at
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::uuid[], $6::integer[])
       w (run, business_id, code, at, workflow_id, version)
  left join templates p on p.business_id = w.business_id and p.code = w.code and p.deleted_at is null
  left join workflow_versions v
    on v.business_id = w.business_id and v.workflow_id = w.workflow_id and v.version = w.version
  left join lateral (select l.created_at from workflow_versions l
                     where l.business_id = w.business_id and l.workflow_id = w.workflow_id and l.version > w.version
                     order by l.version limit 1) n on true
  where p.guid is null or p.updated_at > w.at
), changed as materialized (
  select t.business_id, t.guid, t.code, t.version, t.created_at, t.deleted_at
  from (select business_id, min(least(at, in_version)) as at from open group by business_id) o
  join templates t on t.business_id = o.business_id and t.updated_at >= o.at
)
select o.run, o.code, f.definition::text
from open o
left join lateral (
  select d.definition
  from (values (1, o.at), (2, o.in_version)) a (place, at)
  cross join lateral (
    -- Most templates keep their code. The others have more than one version.
    select coalesce((
\ir as_of.inc
        and t.code = o.code order by t.created_at desc limit 1), (
\ir as_of.inc
        and t.code <> o.code and t.version > 1 limit 1)) as definition) d
  where d.definition is not null and (a.place = 1 or a.at <> o.at)
  order by a.place limit 1) f on true
where f.definition is not null
   or o.made_at > o.at
   or exists (select from template_versions e
              where e.business_id = o.business_id and e.template_id = o.present and e.created_at <= o.at)
