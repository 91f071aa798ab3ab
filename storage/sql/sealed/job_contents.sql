-- Returns the next sealed parts of the contents of jobs, in the order of their rows.
-- $1 business uuid, $2 id uuid, $3 name text (of the last value read)
-- -> business uuid, id uuid, name text, sealed bytea
select business_id as business, job_id as id, name, bytes as sealed from job_contents
where (business_id, job_id, name) > ($1::uuid, $2::uuid, $3::text)
order by 1, 2, 3
limit 10
