-- Returns the newest days with positions of a vehicle, newest first: the date in the business's time zone,
-- its start and its end. One row of nulls if there are none; no row if the vehicle does not exist.
-- $1 business uuid, $2 vehicle uuid, $3 most_days int
-- -> date text or null, starts timestamptz or null, ends timestamptz or null
with recursive vehicle as (
  select v.guid, b.timezone from vehicles v join businesses b on b.guid = v.business_id
  where v.business_id = $1 and v.guid = $2 and v.deleted_at is null
), devices as (
  select k.guid from tracking_devices k, vehicle v where k.business_id = $1 and k.vehicle_id = v.guid
), days (number, starts) as (
  select 0, timestamptz 'infinity'
  union all
  select d.number + 1,
         date_trunc('day', newest.at at time zone v.timezone) at time zone v.timezone
  from days d, vehicle v
  cross join lateral (
    select max(p.at) as at from devices k
    cross join lateral (select p.at from positions p where p.business_id = $1 and p.device_guid = k.guid and p.at < d.starts
                        order by p.at desc limit 1) p
  ) newest
  where d.number < $3 and newest.at is not null
)
select to_char(d.starts at time zone v.timezone, 'YYYY-MM-DD') as date, d.starts,
       (date_trunc('day', d.starts at time zone v.timezone) + interval '1 day') at time zone v.timezone as ends
from vehicle v left join days d on d.number > 0
order by d.number
