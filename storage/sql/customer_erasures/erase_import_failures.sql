-- Erases the reasons of the next failed imports that hold a word of a person. Returns the number of failures, at most a limit,
-- and the last of them.
-- $1 business uuid, $2 words text[], $3 after_integration uuid, $4 after_id text, $5 limit bigint
-- -> failures bigint, last_integration uuid, last_id text
with page as materialized (
  select integration_id, external_id from import_failures
  where business_id = $1 and (integration_id, external_id) > ($3::uuid, $4::text)
  order by integration_id, external_id limit $5::bigint
), changed as (
  update import_failures f set reason = 'Erased.' from page p
  where f.business_id = $1 and f.integration_id = p.integration_id and f.external_id = p.external_id
    and holds_word(f.reason, $2::text[])
)
select count(*) as failures,
       coalesce((select integration_id from page order by integration_id desc, external_id desc limit 1), $3::uuid)
         as last_integration,
       coalesce((select external_id from page order by integration_id desc, external_id desc limit 1), $4::text) as last_id
from page
