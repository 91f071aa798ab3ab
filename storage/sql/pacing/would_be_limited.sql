-- Returns whether as many runs with a value have begun within a period as a limit allows.
-- $1 business uuid, $2 workflow uuid, $3 value bytea, $4 count int, $5 period interval
-- -> is_limited boolean
select count(*) >= $4::integer as is_limited
from (select from limited_runs
      where business_id = $1 and workflow_id = $2::uuid and value = $3::bytea
        and begun_at > clock_timestamp() - $5::interval
      limit $4::integer) l
