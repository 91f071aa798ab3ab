-- Deletes a workflow unless it is managed. Returns it and whether it is managed.
-- $1 business uuid, $2 workflow uuid
-- -> guid uuid, is_managed boolean
with found as (
  select guid, is_managed from workflows
  where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
), removed as (
  update workflows w set deleted_at = now(), updated_at = now()
  from found f
  where w.business_id = $1::uuid and w.guid = f.guid and not f.is_managed
)
select guid, is_managed from found
