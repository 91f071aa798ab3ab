-- Deletes reports of more than 36 hours ago, and those of workers that have ended if a later one has the destination and their
-- counts are no longer of the last hour.
-- $1 limit bigint
-- -> deleted bigint
with ended as materialized (
  select w.worker from (select distinct worker from destination_reports) w
  where lease_end(w.worker) < clock_timestamp() - interval '1 minute'
), old as (
  select r.business_id, r.kind, r.name, r.worker from destination_reports r
  where r.published_at < now() - interval '36 hours'
     or (r.published_at < now() - interval '70 minutes' and r.worker in (select worker from ended)
         and exists (select from destination_reports later
                     where later.business_id = r.business_id and later.kind = r.kind and later.name = r.name
                       and later.published_at > r.published_at))
  limit $1::bigint
), deleted as (
  delete from destination_reports r using old o
  where r.business_id = o.business_id and r.kind = o.kind and r.name = o.name and r.worker = o.worker
    and r.published_at < now() - interval '70 minutes'
  returning 1
)
select count(*) as deleted from deleted
