-- Returns a page of import runs of a store, newest first.
-- $1 business, $2 integration, $3 limit, $4 offset
select guid, started_at as "startedAt", finished_at as "finishedAt", imported, updated, unchanged, failed, errors
from integration_runs where business_id = $1 and integration_id = $2
order by guid desc limit $3 offset $4
