-- Deletes a held dispatch, whose shipments are then in none: $1 business, $2 guid.
with freed as (
  update shipments set dispatch_id = null where business_id = $1 and dispatch_id = $2
)
update dispatches set deleted_at = now() where business_id = $1 and guid = $2
