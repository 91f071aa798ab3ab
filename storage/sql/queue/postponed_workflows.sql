-- Returns workflows that have postponed matches, each once, by walking the index.
-- $1 limit bigint
-- -> workflow_id uuid
with recursive found as (
  (select workflow_id from postponed_matches order by workflow_id limit 1)
  union all
  select (select p.workflow_id from postponed_matches p where p.workflow_id > f.workflow_id order by p.workflow_id limit 1)
  from found f where f.workflow_id is not null
)
select workflow_id from found where workflow_id is not null limit $1::bigint
