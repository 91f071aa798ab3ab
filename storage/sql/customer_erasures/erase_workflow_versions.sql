-- Deletes those of the next earlier versions of workflows that hold an e-mail address of a person, except versions that runs
-- in the queue use. Returns the number of versions, at most a limit, and the last of them.
-- $1 business uuid, $2 emails text[] (in lower case), $3 after_workflow uuid, $4 after_version int, $5 limit bigint
-- -> versions bigint, last_workflow uuid, last_version int
with page as materialized (
  select workflow_id, version from workflow_versions
  where business_id = $1 and (workflow_id, version) > ($3::uuid, $4::integer)
  order by workflow_id, version limit $5::bigint
), gone as (
  delete from workflow_versions v using page p, workflows w
  where v.business_id = $1 and v.workflow_id = p.workflow_id and v.version = p.version
    and w.business_id = $1 and w.guid = v.workflow_id and v.version < w.version
    and holds_word(v.definition::text, $2::text[])
    and not exists (select from run_queue q where q.business_id = $1 and q.workflow_id = v.workflow_id
                    and q.workflow_version = v.version)
)
select count(*) as versions,
       coalesce((select workflow_id from page order by workflow_id desc, version desc limit 1), $3::uuid) as last_workflow,
       coalesce((select version from page order by workflow_id desc, version desc limit 1), $4::integer) as last_version
from page
