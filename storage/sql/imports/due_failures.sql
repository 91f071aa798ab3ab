-- Returns failed orders that are due for another attempt. A run fetches an order only once.
-- $1 business uuid, $2 integration uuid, $3 include_later boolean, $4 run uuid, $5 limit bigint
-- -> external_id text
select external_id from import_failures
where business_id = $1 and integration_id = $2 and ($3 or due_at <= now()) and run_id <> $4
order by due_at, external_id limit $5
