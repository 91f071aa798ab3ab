-- Returns positions of a vehicle in a period, oldest first: the first of each second, thinned out evenly to
-- at most $5.
-- $1 business uuid, $2 vehicle uuid, $3 starts timestamptz, $4 ends timestamptz (exclusive),
-- $5 most_positions int
-- -> seconds float8, latitude float8, longitude float8
with fixes as (
  select distinct on (date_trunc('second', p.at)) p.at, p.latitude, p.longitude
  from tracking_devices k
  join positions p on p.business_id = $1 and p.device_guid = k.guid and p.at >= $3 and p.at < $4
  where k.business_id = $1 and k.vehicle_id = $2
  order by date_trunc('second', p.at), p.at
), numbered as (
  select *, row_number() over (order by at) - 1 as number, count(*) over () as total from fixes
)
select extract(epoch from at)::float8 as seconds, latitude, longitude from numbered
where number % ceil(total::numeric / $5::int)::bigint = 0
order by at
