-- Returns the ticks of a cron expression from a time until before another, in a zone or else in that of the business.
-- $1 business uuid, $2 minutes int[], $3 hours int[], $4 days int[], $5 months int[], $6 weekdays int[], $7 either_day boolean,
-- $8 zone text or null, $9 first_time timestamptz, $10 end_time timestamptz (exclusive)
-- -> tick timestamptz
select t.tick
from businesses b,
     ticks_between($2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::boolean,
                   coalesce($8::text, b.timezone), $9::timestamptz, $10::timestamptz) t (tick)
where b.guid = $1::uuid
order by t.tick
