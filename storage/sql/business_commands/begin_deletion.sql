-- Begins the deletion of a business: suspends it and deletes its workflows, so that workers forget them.
-- $1 business uuid
with begun as (
  update businesses
  set suspended_at = coalesce(suspended_at, now()), deleting_at = coalesce(deleting_at, now()), updated_at = now()
  where guid = $1::uuid
)
update workflows set deleted_at = now(), updated_at = now() where business_id = $1::uuid and deleted_at is null
