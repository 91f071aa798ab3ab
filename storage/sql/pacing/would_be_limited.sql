-- Returns whether as many runs with a value have begun within a period as a limit allows.
-- $1 workflow uuid, $2 value bytea, $3 count int, $4 period interval
-- -> is_limited boolean
select count(*) >= $3::integer as is_limited
from (select from limited_runs
      where workflow_id = $1::uuid and value = $2::bytea and begun_at > clock_timestamp() - $4::interval
      limit $3::integer) l
