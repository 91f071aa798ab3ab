-- Changes the given columns of a vehicle and returns whether the given driver exists; nothing changes
-- otherwise. The driver cannot be deleted before the transaction ends. No row if the vehicle does not exist.
-- $1 business uuid, $2 vehicle uuid, $3 changes jsonb (JSON object by column)
-- -> has_driver boolean, ...
with held as (
  select guid, name, current_driver_id from vehicles where business_id = $1 and guid = $2 and deleted_at is null for update
), driver as (
  select d.guid from held h, drivers d
  where d.business_id = $1 and d.guid = (cast($3 as jsonb) ->> 'current_driver_id')::uuid and d.deleted_at is null
  for key share of d
), state as (
  select h.guid, h.name,
         g ->> 'current_driver_id' is null
         or (g ->> 'current_driver_id')::uuid is not distinct from h.current_driver_id
         or exists (select from driver) as has_driver
  from held h, cast($3 as jsonb) g
), changed as (
  update vehicles v
  set name = case when g ? 'name' then g ->> 'name' else v.name end,
      license_plate = case when g ? 'license_plate' then g ->> 'license_plate' else license_plate end,
      type = case when g ? 'type' then g ->> 'type' else type end,
      make = case when g ? 'make' then g ->> 'make' else make end,
      model = case when g ? 'model' then g ->> 'model' else model end,
      year = case when g ? 'year' then (g ->> 'year')::integer else year end,
      capacity_weight = case when g ? 'capacity_weight' then (g ->> 'capacity_weight')::numeric else capacity_weight end,
      capacity_volume = case when g ? 'capacity_volume' then (g ->> 'capacity_volume')::numeric else capacity_volume end,
      status = case when g ? 'status' then g ->> 'status' else status end,
      current_driver_id = case when g ? 'current_driver_id' then (g ->> 'current_driver_id')::uuid
                               else current_driver_id end
  from state s, cast($3 as jsonb) g
  where v.business_id = $1 and v.guid = s.guid and s.has_driver
)
select has_driver, guid, coalesce(cast($3 as jsonb) ->> 'name', name) as name from state
