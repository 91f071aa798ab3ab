-- Deletes API tokens that were revoked or have expired more than $1 days ago, $2 at most. Answers how many.
with old as materialized (
  select ctid as place from api_tokens
  where least(revoked_at, expires_at) < now() - make_interval(days => $1::integer)
  limit $2::bigint
), gone as (
  delete from api_tokens t using old where t.ctid = old.place returning 1
)
select count(*) from gone
