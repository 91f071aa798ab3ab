-- Makes digests due when they should be, if a wrong clock has stored a later time: one with events in the future is due as if
-- they were of now. Returns the number of digests.
-- -> moved bigint, ...
with far as materialized (
  select d.business_id, d.guid, d.due_at, (regexp_match(coalesce(v.definition ->> 'trigger', w.trigger_code), ':(\{.*)$'))[1]::jsonb as terms,
         least(d.began_at, now()) as began_at, least(d.last_at, now()) as last_at
  from digests d
  join workflows w on w.business_id = d.business_id and w.guid = d.workflow_id
  left join workflow_versions v on v.business_id = d.business_id and v.workflow_id = d.workflow_id and v.version = d.version
  where greatest(d.began_at, d.last_at) > now() + interval '1 minute' and d.due_at > now() + interval '1 minute'
), free as materialized (
  select d.business_id, d.guid, f.right_time
  from (select business_id, guid, due_at,
               coalesce(began_at + (terms ->> 'every')::interval,
                        least(last_at + (terms ->> 'quiet')::interval, began_at + (terms ->> 'atMost')::interval)) as right_time
        from far) f
  join digests d on d.business_id = f.business_id and d.guid = f.guid
  where f.due_at > f.right_time + interval '1 minute' and d.due_at = f.due_at
  for update of d skip locked
), moved as (
  update digests d set due_at = f.right_time, check_at = f.right_time
  from free f where d.business_id = f.business_id and d.guid = f.guid
  returning 1
)
select count(*) as moved, case when count(*) > 0 then pg_notify('waybill_queue', '') end from moved
