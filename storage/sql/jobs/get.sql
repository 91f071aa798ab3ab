-- Returns a job.
-- $1 business uuid, $2 job uuid
select
\ir answer.inc
from jobs where business_id = $1::uuid and guid = $2::uuid
