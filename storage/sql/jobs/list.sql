-- Returns a page of the jobs of a business, newest first.
-- runs: long
-- $1 business uuid, $2 limit bigint, $3 offset bigint
select
\ir answer.inc
from jobs where business_id = $1::uuid
order by guid desc limit $2::bigint offset $3::bigint
