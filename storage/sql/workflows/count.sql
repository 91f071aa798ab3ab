-- Returns the number of a business's other workflows, the number of those active for a trigger, whether the
-- workflow itself exists, and whether it is active for the trigger. Managed workflows do not count.
-- $1 business uuid, $2 trigger text, $3 workflow uuid
-- -> others bigint, others_active bigint, exists boolean, is_active boolean
select count(*) filter (where guid <> $3::uuid) as others,
       count(*) filter (where guid <> $3::uuid and is_active and trigger_code = $2) as others_active,
       coalesce(bool_or(guid = $3::uuid), false) as exists,
       coalesce(bool_or(guid = $3::uuid and is_active and trigger_code = $2), false) as is_active
from workflows
where business_id = $1::uuid and deleted_at is null and not is_managed
