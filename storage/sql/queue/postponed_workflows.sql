-- Returns the first workflows after another one that have postponed matches, each once, by walking the index.
-- $1 after uuid, $2 limit bigint
-- -> workflow_id uuid
with recursive found as (
  (select workflow_id from postponed_matches where workflow_id > $1::uuid order by workflow_id limit 1)
  union all
  select (select p.workflow_id from postponed_matches p where p.workflow_id > f.workflow_id order by p.workflow_id limit 1)
  from found f where f.workflow_id is not null
)
select workflow_id from found where workflow_id is not null limit $2::bigint
