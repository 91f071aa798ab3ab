-- Returns the moments of working days of businesses, counted from other moments, each with the position of its arguments; null
-- if there is no such day within 60 days.
-- $1 businesses uuid[], $2 starts timestamptz[], $3 counts int[] (negative: before)
-- -> position bigint, moment timestamptz or null
select n.position, working_day_from(n.start, n.count, b.timezone, b.workdays, b.holidays) as moment
from unnest($1::uuid[], $2::timestamptz[], $3::integer[]) with ordinality n (business, start, count, position)
join businesses b on b.guid = n.business
