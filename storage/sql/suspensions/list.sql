-- Returns the businesses whose events are set aside: the suspended ones, and those that were resumed and still have such
-- events.
-- -> guid uuid, is_suspended boolean
with recursive found as (
  (select business_id from suspended_events order by business_id limit 1)
  union all
  select (select e.business_id from suspended_events e where e.business_id > f.business_id order by e.business_id limit 1)
  from found f where f.business_id is not null
)
select b.guid, true as is_suspended from businesses b where b.suspended_at is not null
union all
select b.guid, false from found f join businesses b on b.guid = f.business_id where b.suspended_at is null
