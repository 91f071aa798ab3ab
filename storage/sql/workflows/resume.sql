-- Ends the pause of a workflow. Returns whether it was paused. Its held runs are queued afterwards, because the row of the
-- workflows' epoch, for which the changes of all businesses wait, is locked until the transaction ends.
-- $1 business uuid, $2 workflow uuid
-- -> guid uuid, paused boolean
with found as (
  select guid, paused_reason is not null as paused from workflows
  where business_id = $1::uuid and guid = $2::uuid and deleted_at is null
  for update
), resumed as (
  update workflows w set paused_reason = null, paused_at = null, updated_at = now()
  from found f
  where w.business_id = $1::uuid and w.guid = f.guid and f.paused
)
select guid, paused from found
