-- Returns true if every living worker can render runs that were queued without their texts.
select coalesce(bool_and(coalesce(renders_deferred, false)), true)
from workers where lease_end(guid) > clock_timestamp()
