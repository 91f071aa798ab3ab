-- Which of the runs $2 of business $1 there are.
select guid, status, code from all_runs where business_id = $1::uuid and guid = any ($2::uuid[])
