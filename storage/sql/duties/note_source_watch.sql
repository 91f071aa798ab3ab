-- Stores the result of a look at the counts of a source. The alert of a new silence is counted in the same transaction.
-- $1 business uuid, $2 kind text, $3 source uuid, $4 next_look interval, $5 expected_from bigint or null,
-- $6 expected_to bigint or null, $7 silent_for interval or null, $8 silence jsonb or null, $9 is_usual boolean
-- -> has_begun boolean, is_over boolean
with noted as (
  update source_watches f
  set due_at = now() + $4::interval, expected_from = $5::bigint, expected_to = $6::bigint,
      silent_since = case when $9::boolean then null else coalesce(f.silent_since, now() - $7::interval) end,
      silence = case when $9::boolean then null else coalesce(f.silence, $8::jsonb) end,
      usual_since = case when $9::boolean and f.silent_since is not null then now() else f.usual_since end
  from (select o.silent_since from source_watches o
        where o.business_id = $1::uuid and o.kind = $2 and o.source_id = $3::uuid for update) old
  where f.business_id = $1::uuid and f.kind = $2 and f.source_id = $3::uuid
  returning f.business_id, old.silent_since is null and f.silent_since is not null as has_begun,
            old.silent_since is not null and f.silent_since is null as is_over
), counted as materialized (
  select count_failures(n.business_id, $2 || '_silent', $3::uuid, null, null, null, 1) from noted n where n.has_begun
)
select n.has_begun, n.is_over from noted n where (select count(*) from counted) >= 0
