-- Returns the opening of a window that contains a time, or else the next one after it; nulls if there is none within 60 days
-- or the server does not know the zone.
-- $1 business uuid, $2 zone text or null (null: that of the business), $3 days int[] (1: Monday),
-- $4 opens text (HH:MM), $5 closes text, $6 at timestamptz, $7 workdays boolean (true: an opening begins on a working day)
-- -> opens_at timestamptz or null, closes_at timestamptz or null, is_known_zone boolean
select o.opens_at, o.closes_at, o.is_known as is_known_zone
from businesses b,
     next_opening(coalesce($2, b.timezone), $3::integer[], $4::text::time, $5::text::time, $6::timestamptz,
                  case when $7::boolean then b.workdays end, b.holidays) o
where b.guid = $1::uuid
