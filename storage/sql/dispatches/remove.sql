-- Deletes a locked dispatch and releases its shipments.
-- $1 business uuid, $2 dispatch uuid
with freed as (
  update shipments set dispatch_id = null where business_id = $1 and dispatch_id = $2
)
update dispatches set deleted_at = now() where business_id = $1 and guid = $2
