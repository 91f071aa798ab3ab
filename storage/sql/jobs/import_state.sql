-- Returns how far an import run is.
-- $1 business uuid, $2 run uuid
-- -> is_finished boolean, imported bigint, updated bigint, unchanged bigint, failed bigint
select finished_at is not null as is_finished, imported::bigint as imported, updated::bigint as updated,
       unchanged::bigint as unchanged, failed::bigint as failed
from integration_runs where business_id = $1::uuid and guid = $2::uuid
