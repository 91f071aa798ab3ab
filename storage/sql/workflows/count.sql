-- Returns the number of a business's other workflows and the bytes of their definitions; whether the workflow itself
-- exists, and the bytes of its definition; and, among the given triggers for which it is not active, the one with the
-- most active workflows, and their number. Managed workflows do not count.
-- $1 business uuid, $2 triggers text[] (codes), $3 workflow uuid
-- -> others bigint, others_bytes bigint, exists boolean, bytes bigint, trigger text or null, others_active bigint
with kept as materialized (
  select guid, is_active, trigger_code, octet_length(action::text) + octet_length(conditions::text) as bytes
  from workflows
  where business_id = $1::uuid and deleted_at is null and not is_managed
), fullest as (
  select t.code, count(k.guid) as active
  from unnest($2::text[]) t (code)
  left join kept k on k.is_active and meets_trigger(k.trigger_code, t.code)
  group by t.code
  having not coalesce(bool_or(k.guid = $3::uuid), false)
  order by active desc, t.code
  limit 1
)
select count(*) filter (where guid <> $3::uuid) as others,
       coalesce(sum(bytes) filter (where guid <> $3::uuid), 0)::bigint as others_bytes,
       coalesce(bool_or(guid = $3::uuid), false) as exists,
       coalesce(sum(bytes) filter (where guid = $3::uuid), 0)::bigint as bytes,
       (select code from fullest) as trigger, coalesce((select active from fullest), 0) as others_active
from kept
