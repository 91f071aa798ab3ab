-- Deletes messages of alerts that are older than any run that they name can be, at most a number of them. Returns how many.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select business_id, guid from alert_messages where created_at < now() - $1::integer * interval '1 day' limit $2::bigint
), gone as (
  delete from alert_messages m using old where m.business_id = old.business_id and m.guid = old.guid returning 1
)
select count(*) as expired from gone
