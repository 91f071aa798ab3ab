-- Adds positions, or none if a device is unknown. Returns the index (from 1) of the first position of an
-- unknown device or null, the number of positions, and the number of new ones. Devices are locked in order of
-- guid to prevent deadlocks between batches.
-- $1 business uuid, $2 devices text[] (their ids), $3 times timestamptz[] (null: now), $4 latitudes float8[],
-- $5 longitudes float8[], $6 speeds real[], $7 headings real[], $8 battery_levels numeric[], $9 faults text[]
-- -> unknown bigint or null, ...
with sent as (
  select s.device, coalesce(s.at, now())::timestamptz(3) as at, s.latitude, s.longitude, s.speed, s.heading, s.battery, s.fault,
         s.place
  from unnest($2::text[], $3::timestamptz[], $4::float8[], $5::float8[], $6::float4[], $7::float4[], $8::numeric[],
              $9::text[])
       with ordinality s (device, at, latitude, longitude, speed, heading, battery, fault, place)
), devices as materialized (
  select k.guid, k.device_id, k.last_seen, k.fault, k.battery_level, coalesce(k.battery_at, k.last_seen) as battery_at
  from tracking_devices k
  where k.business_id = $1 and k.device_id = any($2::text[])
  order by k.guid for no key update
), checked as (
  select min(s.place) as unknown from sent s where not exists (select from devices d where d.device_id = s.device)
), known as (
  select distinct on (d.guid, s.at) d.guid, s.*
  from sent s join devices d on d.device_id = s.device, checked c
  where c.unknown is null
  order by d.guid, s.at, s.place  -- the first of several with the same time counts
), added as (
  insert into positions (business_id, device_guid, at, latitude, longitude, speed, heading)
  select $1, k.guid, k.at, k.latitude, k.longitude, k.speed, k.heading from known k
  on conflict do nothing
  returning device_guid, at
), reports as (  -- the new positions, and what the device has of the earlier ones
  select k.guid, k.at, k.fault, k.at as battery_at, k.battery
  from known k join added a on a.device_guid = k.guid and a.at = k.at
  where k.at <= now() + interval '5 minutes'
  union all
  select d.guid, d.last_seen, d.fault, d.battery_at, d.battery_level
  from devices d where exists (select from added a where a.device_guid = d.guid)
), newest as (  -- a position without a battery level leaves that of the newest position with one
  select r.guid, max(r.at) as at, (array_agg(r.fault order by r.at desc nulls last))[1] as fault,
         max(r.battery_at) filter (where r.battery is not null) as battery_at,
         (array_agg(r.battery order by r.battery_at desc) filter (where r.battery is not null))[1] as battery
  from reports r
  group by r.guid
), updated as (
  update tracking_devices k
  set last_seen = n.at, fault = n.fault, battery_level = n.battery, battery_at = n.battery_at,
      status = device_status(n.at, n.battery, n.fault)
  from newest n
  where k.business_id = $1 and k.guid = n.guid and (n.at, n.battery_at) is distinct from (k.last_seen, k.battery_at)
)
select (select unknown from checked), cardinality($2::text[]) as received, (select count(*) from added) as stored
