-- Returns the number of a business's other workflows and their bytes (sizes.inc); whether the workflow itself exists, and its
-- bytes; the bytes of the texts of the templates that it is to have; and, among the given triggers for which it is not
-- active, the one with the most active workflows, and their number. Managed workflows do not count.
-- $1 business uuid, $2 triggers text[] (codes), $3 workflow uuid, $4 template_codes text[]
-- -> others bigint, others_bytes bigint, exists boolean, bytes bigint, text_bytes bigint, trigger text or null,
-- others_active bigint
with recursive parts as materialized (
\ir ../templates/parts.inc
),
\ir sizes.inc
, wanted (code) as (
  select unnest($4::text[])
  union
  select unnest(t.partials) from wanted w join parts t on t.code = w.code
), fullest as (
  select t.code, count(k.guid) as active
  from unnest($2::text[]) t (code)
  left join sizes k on k.is_active and meets_trigger(k.trigger_code, t.code)
  group by t.code
  having not coalesce(bool_or(k.guid = $3::uuid), false)
  order by active desc, t.code
  limit 1
)
select count(*) filter (where guid <> $3::uuid) as others,
       coalesce(sum(bytes) filter (where guid <> $3::uuid), 0)::bigint as others_bytes,
       coalesce(bool_or(guid = $3::uuid), false) as exists,
       coalesce(sum(bytes) filter (where guid = $3::uuid), 0)::bigint as bytes,
       (select coalesce(sum(t.bytes), 0)::bigint from wanted w join parts t on t.code = w.code) as text_bytes,
       (select code from fullest) as trigger, coalesce((select active from fullest), 0) as others_active
from sizes
