-- Returns a page of import runs of a store, newest first.
-- $1 business uuid, $2 integration uuid, $3 limit bigint, $4 offset bigint
select guid, started_at as "startedAt", finished_at as "finishedAt", imported, updated, unchanged, failed, errors
from integration_runs where business_id = $1 and integration_id = $2
order by guid desc limit $3 offset $4
