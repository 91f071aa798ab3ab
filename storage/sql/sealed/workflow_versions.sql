-- Returns the next sealed credentials of versions of workflows, in the order of their rows.
-- $1 business uuid, $2 id uuid, $3 name text (of the last value read)
-- -> business uuid, id uuid, name text, sealed bytea
select business_id as business, workflow_id as id, version::text as name, sealed_credentials as sealed
from workflow_versions
where sealed_credentials is not null and (business_id, workflow_id) >= ($1::uuid, $2::uuid)
  and (business_id, workflow_id, version::text) > ($1::uuid, $2::uuid, $3)
order by 1, 2, 3
limit 200
