-- Locks a workflow and returns what decides whether it can be switched. The business is locked first, as when
-- a workflow is added.
-- $1 business uuid, $2 workflow uuid
-- -> trigger text, is_active boolean, is_managed boolean
select w.trigger_code as trigger, w.is_active, w.is_managed
from (select guid from businesses where guid = $1::uuid for no key update) b, workflows w
where w.business_id = b.guid and w.guid = $2::uuid and w.deleted_at is null
for update of w
