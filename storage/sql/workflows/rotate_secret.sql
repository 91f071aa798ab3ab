-- Adds a secret to a webhook workflow and limits the validity of the earlier ones.
-- $1 business uuid, $2 workflow uuid, $3 sealed_secret bytea,
-- $4 overlap interval (validity of the earlier secrets)
with found as (
  update workflows set updated_at = now()
  where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
    and (action ->> 'type' = 'webhook' or flat_steps(action -> 'steps') @> '[{"type": "webhook"}]')
  returning business_id, guid
), old as (
  update workflow_secrets s set expires_at = least(coalesce(s.expires_at, 'infinity'), now() + $4::interval)
  from found f
  where s.business_id = f.business_id and s.workflow_id = f.guid
)
insert into workflow_secrets (business_id, workflow_id, sealed)
select business_id, guid, $3::bytea from found
returning workflow_id
