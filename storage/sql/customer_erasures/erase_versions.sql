-- Deletes the earlier versions of workflows and templates that hold an e-mail address of a person, except versions
-- that runs in the queue use, and replaces the values with an address in the audit log of workflows and templates.
-- $1 business uuid, $2 emails text[] (in lower case)
with templates_gone as (
  delete from template_versions v using templates t
  where v.business_id = $1 and t.business_id = $1 and t.guid = v.template_id and v.version < t.version
    and holds_word(v.definition::text, $2::text[])
), log as (
  update audit_log a
  set changes = (select jsonb_object_agg(c.key, case when holds_word(c.value::text, $2::text[])
                                                     then '{"from": "Erased", "to": "Erased"}' else c.value end)
                 from jsonb_each(a.changes) c)
  where a.business_id = $1 and a.entity_type in ('workflow', 'template')
    and holds_word(a.changes::text, $2::text[])
)
delete from workflow_versions v using workflows w
where v.business_id = $1 and w.business_id = $1 and w.guid = v.workflow_id and v.version < w.version
  and holds_word(v.definition::text, $2::text[])
  and not exists (select from run_queue q where q.business_id = $1 and q.workflow_id = v.workflow_id
                  and q.workflow_version = v.version)
