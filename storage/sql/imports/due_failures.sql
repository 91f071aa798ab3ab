-- Orders that are to be fetched again: $1 business, $2 integration, $3 whether all are, $4 the run, which does not look at
-- one twice, $5 how many at most.
select external_id from import_failures
where business_id = $1 and integration_id = $2 and ($3 or due_at <= now()) and run_id <> $4
order by due_at, external_id limit $5
