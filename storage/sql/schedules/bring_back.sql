-- Stores the tick that follows now as the next one of a locked schedule that is still to come, if a wrong clock has stored a later
-- one. A tick that was performed too early is not the next one again, nor are those before it within an hour, because the clock
-- may have been set back. Returns the tick; no row if nothing has changed.
-- $1 business uuid, $2 workflow uuid, $3 minutes int[], $4 hours int[], $5 days int[], $6 months int[], $7 weekdays int[],
-- $8 either_day boolean, $9 zone text
-- -> next_at timestamptz
update schedules s set next_at = n.tick, check_at = n.tick
from (select case when t.tick = c.last_at
                    then next_tick($3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::boolean, $9, t.tick)
                  else t.tick end as tick
      from schedules c
      cross join lateral (
        select next_tick($3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::boolean, $9,
                         case when c.last_at between statement_timestamp() and statement_timestamp() + interval '1 hour'
                                then c.last_at else statement_timestamp() end) as tick
        offset 0) t
      where c.business_id = $1::uuid and c.workflow_id = $2::uuid
      offset 0) n
where s.business_id = $1::uuid and s.workflow_id = $2::uuid
  and (s.next_at > statement_timestamp() or s.check_at = 'infinity') and n.tick < coalesce(s.next_at, 'infinity')
returning s.next_at
