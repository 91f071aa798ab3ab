-- Returns whether there is a worker that free_lost.sql deletes; the plan of that statement takes far longer.
-- $1 worker uuid (the caller, never lost), $2 kept_after_lease interval or null (after the end of a lease; null: no limit)
-- -> has_lost boolean
select exists (select from workers
               where guid <> $1::uuid
                 and (not worker_lives(guid)
                      or greatest(lease_end(guid), started_at) < clock_timestamp() - $2::interval)) as has_lost
