-- Deletes all given shipments, or none. Returns whether all exist, the statuses by guid of those that are
-- underway, and the statuses of the labels by guid of those whose label is bought or being bought. They are deleted only if
-- all exist and none is underway or has such a label (null).
-- $1 business uuid, $2 shipments uuid[]
-- -> complete boolean, underway json or null, labelled json or null
with named as (
  select distinct guid from unnest($2::uuid[]) guid
), held as (
  select r.guid, r.status, r.label_status from shipments r
  where r.business_id = $1 and r.guid = any($2::uuid[]) and r.deleted_at is null
  order by r.guid for update
), verdict as (
  select (select count(*) from held) = (select count(*) from named) as complete,
         (select json_object_agg(h.guid, h.status) from held h
          where h.status in ('collected', 'in_transit', 'out_for_delivery')) as underway,
         (select json_object_agg(h.guid, h.label_status) from held h
          where h.label_status in ('buying', 'bought', 'unknown', 'voiding')) as labelled
), deleted as (
  update shipments r set deleted_at = now() from held h, verdict v
  where r.business_id = $1 and r.guid = h.guid and v.complete and v.underway is null and v.labelled is null
)
select complete, underway, labelled from verdict
