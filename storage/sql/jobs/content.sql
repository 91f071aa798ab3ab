-- Returns a part of the contents of a job.
-- $1 business uuid, $2 job uuid, $3 name text
-- -> bytes bytea
select bytes from job_contents where business_id = $1::uuid and job_id = $2::uuid and name = $3::text
