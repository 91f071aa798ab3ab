-- Returns what all sources of a business brought in the last 57 days, by the hours of its wall clock.
-- $1 business uuid
-- -> counts text (an hour, the number of orders and that of scans, and so on)
select coalesce(string_agg(s.hour || ' ' || s.orders || ' ' || s.scans, ' '), '') as counts
from (select wall_hour(c.hour, b.timezone) as hour, coalesce(sum(c.count) filter (where c.kind = 'import'), 0) as orders,
             coalesce(sum(c.count) filter (where c.kind = 'scans'), 0) as scans
      from businesses b join source_counts c on c.business_id = b.guid and c.hour > now() - interval '57 days'
      where b.guid = $1::uuid
      group by 1) s
