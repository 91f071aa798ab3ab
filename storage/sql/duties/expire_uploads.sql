-- Deletes uploads that were not confirmed within a day, and confirmed ones after the retention, at most a number of them.
-- Returns how many.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select business_id, guid from customer_uploads
  where created_at < now() - interval '24 hours'
    and (confirmed_at is null or confirmed_at < now() - make_interval(days => $1::integer))
  order by created_at limit $2::bigint for update skip locked
), gone as (
  delete from customer_uploads u using old where u.business_id = old.business_id and u.guid = old.guid returning 1
)
select count(*) as expired from gone
