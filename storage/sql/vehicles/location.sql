-- Returns the current location and the positions of a vehicle. A date is a day of the business's time zone,
-- and the end includes its day. Without bounds, the newest positions are returned.
-- runs: long
-- $1 business uuid, $2 vehicle uuid, $3 starts text or null, $4 ends text or null, $5 most_positions bigint
with vehicle as (
  select v.guid, b.timezone from vehicles v join businesses b on b.guid = v.business_id
  where v.business_id = $1 and v.guid = $2 and v.deleted_at is null
), bounds as (
  select case when length($3) = 10 then $3::date::timestamp at time zone timezone else $3::timestamptz end as starts,
         case when length($4) = 10 then ($4::date + 1)::timestamp at time zone timezone - interval '1 millisecond'
              else $4::timestamptz end as ends
  from vehicle
), devices as (
  select k.guid from tracking_devices k, vehicle v where k.business_id = $1 and k.vehicle_id = v.guid
), newest as (
  select p.* from devices d
  cross join lateral (select * from positions p where p.business_id = $1 and p.device_guid = d.guid
                      order by p.at desc limit 1) p
  order by p.at desc limit 1
), shown as (
  select p.at, p.latitude, p.longitude from devices d
  cross join lateral (
    select p.at, p.latitude, p.longitude from positions p, bounds b
    where p.business_id = $1 and p.device_guid = d.guid
      and p.at >= coalesce(b.starts, '-infinity') and p.at <= coalesce(b.ends, 'infinity')
    order by p.at desc limit $5
  ) p
  order by p.at desc limit $5
)
select v.guid as "vehicleId", n.latitude as "currentLocation.latitude", n.longitude as "currentLocation.longitude",
       n.speed::numeric as "currentLocation.speed",
       n.heading::numeric as "currentLocation.heading", n.at as "currentLocation.timestamp",
       (select coalesce(json_agg(json_build_object('latitude', s.latitude, 'longitude', s.longitude,
                                                   'timestamp', iso(s.at)) order by s.at), '[]') from shown s) as positions
from vehicle v left join newest n on true
