-- Stores the next tick of a locked schedule after a time, the tick that was performed, and the number of successive ticks whose
-- query took too long. Returns the next tick; null if there is none.
-- $1 business uuid, $2 workflow uuid, $3 minutes int[], $4 hours int[], $5 days int[], $6 months int[], $7 weekdays int[],
-- $8 either_day boolean, $9 zone text, $10 after timestamptz, $11 timeouts int, $12 performed timestamptz or null
-- -> next_at timestamptz or null
update schedules s set next_at = n.tick, check_at = coalesce(n.tick, 'infinity'), timeouts = $11::integer,
    last_at = coalesce($12::timestamptz, s.last_at)
from (select next_tick($3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::boolean, $9, $10::timestamptz) as tick) n
where s.business_id = $1::uuid and s.workflow_id = $2::uuid
returning s.next_at
