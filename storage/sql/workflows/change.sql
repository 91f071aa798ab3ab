-- Changes a workflow, adds a version and returns the workflow. A given secret replaces all earlier ones.
-- $1 business uuid, $2 workflow uuid, $3 name text, $4 entity_type smallint, $5 trigger text,
-- $6 action jsonb, $7 conditions jsonb, $8 is_active boolean, $9 ordered boolean, $10 delay text or null,
-- $11 sealed_secret bytea or null, $12 template_codes text[], $13 sealed_credentials bytea or null,
-- $14 window jsonb or null, $15 limit jsonb or null, $16 rate jsonb or null, $17 workdays boolean,
-- $18 cancel_on jsonb or null
with changed as (
  update workflows
  set name = $3, entity_type = $4::smallint, trigger_code = $5, action = $6::jsonb, conditions = $7::jsonb,
      active_since = case when $8::boolean and not is_active then now() else active_since end, is_active = $8::boolean,
      ordered = $9::boolean, delay = $10, template_codes = $12::text[], sealed_credentials = $13::bytea,
      time_window = $14::jsonb, run_limit = $15::jsonb, request_rate = $16::jsonb, workdays = $17::boolean,
      cancel_on = $18::jsonb,
      version = version + 1, updated_at = now()
  where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
  returning *
), version as (
  insert into workflow_versions (business_id, workflow_id, version, definition, sealed_credentials)
  select business_id, guid, version, workflow_definition(changed)
         || jsonb_build_object('window', $14::jsonb, 'limit', $15::jsonb, 'rate', $16::jsonb, 'cancelOn', $18::jsonb), sealed_credentials
  from changed
), replaced as (
  delete from workflow_secrets s using changed c
  where s.business_id = c.business_id and s.workflow_id = c.guid and $11::bytea is not null
), secret as (
  insert into workflow_secrets (business_id, workflow_id, sealed)
  select business_id, guid, $11::bytea from changed where $11::bytea is not null
)
select guid, name, is_active as "isActive", version, action from changed
