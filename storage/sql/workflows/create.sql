-- Adds a workflow with its first version and returns it.
-- $1 business, $2 guid, $3 name, $4 entity type, $5 trigger, $6 action, $7 conditions, $8 active, $9 ordered,
-- $10 delay, $11 sealed secret or null, $12 codes of used templates, $13 sealed credentials or null
with made as (
  insert into workflows (business_id, guid, name, entity_type, trigger_code, action, conditions, is_active, ordered, delay,
                         template_codes, sealed_credentials)
  values ($1::uuid, $2::uuid, $3, $4::smallint, $5, $6::jsonb, $7::jsonb, $8::boolean, $9::boolean, $10,
          $12::text[], $13::bytea)
  returning *
), version as (
  insert into workflow_versions (business_id, workflow_id, version, definition)
  select business_id, guid, version, workflow_definition(made) from made
), secret as (
  insert into workflow_secrets (business_id, workflow_id, sealed)
  select business_id, guid, $11::bytea from made where $11::bytea is not null
)
select guid, name, is_active as "isActive", version, action from made
