-- Adds a workflow with its first version and returns it.
-- $1 business uuid, $2 workflow uuid, $3 name text, $4 entity_type smallint, $5 trigger text,
-- $6 action jsonb, $7 conditions jsonb, $8 is_active boolean, $9 ordered boolean, $10 delay text or null,
-- $11 sealed_secret bytea or null, $12 template_codes text[], $13 sealed_credentials bytea or null,
-- $14 window jsonb or null, $15 limit jsonb or null, $16 rate jsonb or null, $17 workdays boolean,
-- $18 cancel_on jsonb or null
with made as (
  insert into workflows (business_id, guid, name, entity_type, trigger_code, action, conditions, is_active, ordered, delay,
                         template_codes, sealed_credentials, time_window, run_limit, request_rate, workdays,
                         cancel_on)
  values ($1::uuid, $2::uuid, $3, $4::smallint, $5, $6::jsonb, $7::jsonb, $8::boolean, $9::boolean, $10,
          $12::text[], $13::bytea, $14::jsonb, $15::jsonb, $16::jsonb, $17::boolean, $18::jsonb)
  returning *
), version as (
  insert into workflow_versions (business_id, workflow_id, version, definition, sealed_credentials)
  select business_id, guid, version, workflow_definition(made)
         || jsonb_build_object('window', $14::jsonb, 'limit', $15::jsonb, 'rate', $16::jsonb, 'cancelOn', $18::jsonb), sealed_credentials
  from made
), secret as (
  insert into workflow_secrets (business_id, workflow_id, sealed)
  select business_id, guid, $11::bytea from made where $11::bytea is not null
)
select guid, name, is_active as "isActive", version, action from made
