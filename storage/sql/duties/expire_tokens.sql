-- Deletes API tokens that were revoked or expired before the retention. Returns the number of deleted tokens.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select ctid as place from api_tokens
  where least(revoked_at, expires_at) < now() - make_interval(days => $1::integer)
  limit $2::bigint
), gone as (
  delete from api_tokens t using old where t.ctid = old.place returning 1
)
select count(*) as expired from gone
