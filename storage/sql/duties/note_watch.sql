-- Stores the result of a look at the firings of a workflow. The alert of a new silence is counted in the same transaction.
-- $1 business uuid, $2 workflow uuid, $3 next_look interval, $4 expected_from bigint or null,
-- $5 expected_to bigint or null, $6 silent_for interval or null, $7 silence jsonb or null, $8 is_usual boolean
-- -> has_begun boolean, is_over boolean
with noted as (
  update workflow_watches f
  set due_at = now() + $3::interval, expected_from = $4::bigint, expected_to = $5::bigint,
      silent_since = case when $8::boolean then null else coalesce(f.silent_since, now() - $6::interval) end,
      silence = case when $8::boolean then null else coalesce(f.silence, $7::jsonb) end,
      usual_since = case when $8::boolean and f.silent_since is not null then now() else f.usual_since end
  from (select o.silent_since from workflow_watches o
        where o.business_id = $1::uuid and o.workflow_id = $2::uuid for update) old
  where f.business_id = $1::uuid and f.workflow_id = $2::uuid
  returning f.business_id, f.workflow_id, old.silent_since is null and f.silent_since is not null as has_begun,
            old.silent_since is not null and f.silent_since is null as is_over
), counted as materialized (
  select count_failures(n.business_id, 'workflow_silent', n.workflow_id, null, null, null, 1) from noted n where n.has_begun
)
select n.has_begun, n.is_over from noted n where (select count(*) from counted) >= 0
