-- Returns true if every living worker can render runs that were queued without their texts.
-- -> all_render boolean
select coalesce(bool_and(coalesce(renders_deferred, false)), true) as all_render
from workers where lease_end(guid) > clock_timestamp()
