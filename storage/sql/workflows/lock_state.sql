-- The workflow $2 of business $1 as far as switching it matters; nobody else changes it until the transaction ends. Workflows
-- are added behind a lock of their business, which is taken first, here as elsewhere.
select w.trigger_code as trigger, w.is_active, w.is_managed
from (select guid from businesses where guid = $1::uuid for no key update) b, workflows w
where w.business_id = b.guid and w.guid = $2::uuid and w.deleted_at is null
for update of w
