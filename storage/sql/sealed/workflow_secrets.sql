-- Returns the next sealed secrets of webhooks, in the order of their rows.
-- $1 business uuid, $2 id uuid, $3 name text (of the last value read)
-- -> business uuid, id uuid, name text, sealed bytea
select business_id as business, workflow_id as id, created_at::text as name, sealed from workflow_secrets
where (business_id, workflow_id) >= ($1::uuid, $2::uuid)
  and (business_id, workflow_id, created_at::text) > ($1::uuid, $2::uuid, $3)
order by 1, 2, 3
limit 200
