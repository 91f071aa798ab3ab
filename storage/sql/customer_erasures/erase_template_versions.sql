-- Deletes those of the next earlier versions of templates that hold an e-mail address of a person. Returns the number of
-- versions, at most a limit, and the last of them.
-- $1 business uuid, $2 emails text[] (in lower case), $3 after_template uuid, $4 after_version int, $5 limit bigint
-- -> versions bigint, last_template uuid, last_version int
with page as materialized (
  select template_id, version from template_versions
  where business_id = $1 and (template_id, version) > ($3::uuid, $4::integer)
  order by template_id, version limit $5::bigint
), gone as (
  delete from template_versions v using page p, templates t
  where v.business_id = $1 and v.template_id = p.template_id and v.version = p.version
    and t.business_id = $1 and t.guid = v.template_id and v.version < t.version
    and holds_word(v.definition::text, $2::text[])
)
select count(*) as versions,
       coalesce((select template_id from page order by template_id desc, version desc limit 1), $3::uuid) as last_template,
       coalesce((select version from page order by template_id desc, version desc limit 1), $4::integer) as last_version
from page
