-- Deletes the earlier versions of workflows and templates that hold a person's e-mail address, except versions that
-- runs in the queue use.
-- $1 business uuid, $2 email text
with templates_gone as (
  delete from template_versions v using templates t
  where v.business_id = $1 and t.business_id = $1 and t.guid = v.template_id and v.version < t.version
    and strpos(lower(v.definition::text), lower($2)) > 0
)
delete from workflow_versions v using workflows w
where v.business_id = $1 and w.business_id = $1 and w.guid = v.workflow_id and v.version < w.version
  and strpos(lower(v.definition::text), lower($2)) > 0
  and not exists (select from run_queue q where q.business_id = $1 and q.workflow_id = v.workflow_id
                  and q.workflow_version = v.version)
