-- Adds a template and returns it. No row if the business has the maximum number of templates.
-- $1 business uuid, $2 code text, $3 name text, $4 entity_type smallint, $5 type text,
-- $6 subject text or null, $7 body text or null, $8 html text or null, $9 title text or null,
-- $10 url text or null, $11 partials text[], $12 max_templates bigint
-- -> guid uuid, ...
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
