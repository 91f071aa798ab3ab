-- Deletes idempotency keys older than 24 hours, at most a number of them. Returns how many.
-- $1 limit bigint
-- -> expired bigint
with old as materialized (
  select ctid as place from idempotency_keys where created_at < now() - interval '24 hours'
  order by created_at limit $1::bigint
), gone as (
  delete from idempotency_keys k using old where k.ctid = old.place returning 1
)
select count(*) as expired from gone
