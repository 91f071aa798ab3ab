-- Changes the given columns of a business's user and returns the user.
-- $1 business uuid, $2 user uuid, $3 changes jsonb (JSON object by column)
with u as (
  update users r
  set role = coalesce(g ->> 'role', r.role),
      first_name = case when g ? 'firstName' then g ->> 'firstName' else r.first_name end,
      last_name = case when g ? 'lastName' then g ->> 'lastName' else r.last_name end,
      updated_at = now()
  from cast($3 as jsonb) g
  where r.business_id = $1::uuid and r.guid = $2::uuid
  returning r.*
)
select
\ir answer.inc
from u
