-- The workflows of business $1 besides $3, without managed ones: how many there are, and how many are active for the trigger
-- $2; and whether $3 itself is active for it already.
select count(*) filter (where guid <> $3::uuid) as others,
       count(*) filter (where guid <> $3::uuid and is_active and trigger_code = $2) as others_active,
       coalesce(bool_or(guid = $3::uuid), false) as exists,
       coalesce(bool_or(guid = $3::uuid and is_active and trigger_code = $2), false) as is_active
from workflows
where business_id = $1::uuid and deleted_at is null and not is_managed
