-- Deletes locked digests with their items, and stores the lists of their runs where those of schedules are. Returns the number of
-- items of each; a digest whose items were all erased has no list.
-- $1 businesses uuid[], $2 digests uuid[]
-- -> guid uuid, count bigint
with closed as (
  select * from unnest($1::uuid[], $2::uuid[]) n (business_id, guid)
), items as (
  delete from digest_items i using closed c
  where i.business_id = c.business_id and i.digest_id = c.guid
  returning i.business_id, i.digest_id, i.position, i.item
), lists as (
  select business_id, digest_id, count(*) as count, string_agg(item, ',' order by position) as items
  from items group by business_id, digest_id
), gone as (
  delete from digests d using closed c
  where d.business_id = c.business_id and d.guid = c.guid
  returning d.business_id, d.guid, d.value
), kept as (
  insert into run_step_texts (business_id, origin, number, at, request)
  select g.business_id, g.guid, 0, guid_time(g.guid), concat('{"count":', l.count, ',"items":[', l.items, '],"by":', g.value, '}')
  from gone g
  join lists l on l.business_id = g.business_id and l.digest_id = g.guid
  on conflict do nothing
)
select g.guid, coalesce(l.count, 0) as count
from gone g
left join lists l on l.business_id = g.business_id and l.digest_id = g.guid
