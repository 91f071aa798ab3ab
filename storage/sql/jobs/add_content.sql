-- Adds a part of the contents of a job.
-- $1 business uuid, $2 job uuid, $3 name text, $4 bytes bytea (sealed)
insert into job_contents (business_id, job_id, name, bytes) values ($1::uuid, $2::uuid, $3::text, $4::bytea)
