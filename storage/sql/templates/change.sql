-- Changes a template and adds a version. A template that already has these values stays unchanged. Returns
-- the template.
-- $1 business uuid, $2 guid uuid, $3 code text, $4 name text, $5 entity_type smallint, $6 type text,
-- $7 subject text or null, $8 body text or null, $9 html text or null, $10 title text or null,
-- $11 url text or null, $12 partials text[]
with changed as (
  update templates
  set code = $3, name = $4, entity_type = $5::smallint, type = $6, subject = $7, body = $8, html = $9, title = $10, url = $11,
      partials = $12::text[], version = version + 1, updated_at = now()
  where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
    and (code, name, entity_type, type, subject, body, html, title, url)
        is distinct from ($3, $4, $5::smallint, $6, $7, $8, $9, $10, $11)
  returning *
), version as (
  insert into template_versions (business_id, template_id, version, definition)
  select business_id, guid, version, template_definition(changed) from changed
)
select
\ir answer.inc
from changed t
union all
select
\ir answer.inc
from templates t
where t.business_id = $1::uuid and t.guid = $2::uuid and t.deleted_at is null and not exists (select from changed)
