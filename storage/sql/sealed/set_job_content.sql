-- Replaces a part of the contents of a job unless it has changed.
-- $1 business uuid, $2 id uuid, $3 name text, $4 old_value bytea (sealed), $5 new_value bytea (sealed)
update job_contents set bytes = $5::bytea
where business_id = $1::uuid and job_id = $2::uuid and name = $3::text and bytes = $4::bytea
