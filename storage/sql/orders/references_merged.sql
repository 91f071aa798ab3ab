-- Returns the answers for several callers of orders/references.sql, each row preceded by the caller's position.
-- $1 businesses uuid[], $2 customers uuid[], $3 carriers uuid[]
select w.position,
\ir references.inc
-- The planner does not look into the subselects, so the plan is made once.
from unnest((select $1::uuid[]), (select $2::uuid[]), (select $3::uuid[])) with ordinality
       w (business_id, customer, carrier, position)
order by w.position
