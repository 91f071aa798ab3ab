-- Returns failed orders that are due for another attempt. A run fetches an order only once.
-- $1 business, $2 integration, $3 whether to include orders that are not due, $4 import run, $5 limit
select external_id from import_failures
where business_id = $1 and integration_id = $2 and ($3 or due_at <= now()) and run_id <> $4
order by due_at, external_id limit $5
