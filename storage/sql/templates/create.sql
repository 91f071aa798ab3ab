-- Adds a template and returns it. No row if the business has the maximum number of templates.
-- $1 business, $2 code, $3 name, $4 entity type, $5 type, $6 subject, $7 body, $8 html, $9 title, $10 url,
-- $11 codes of included templates, $12 maximum number of templates
with made as (
  insert into templates (business_id, code, name, entity_type, type, subject, body, html, title, url, partials)
  select $1::uuid, $2, $3, $4::smallint, $5, $6, $7, $8, $9, $10, $11::text[]
  where (select count(*) from templates o where o.business_id = $1::uuid and o.deleted_at is null) < $12::bigint
  returning *
), version as (
  insert into template_versions (business_id, template_id, version, definition)
  select business_id, guid, version, template_definition(made) from made
)
select
\ir answer.inc
from made t
