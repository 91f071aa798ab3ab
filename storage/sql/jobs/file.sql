-- Returns the role that the call of a job needs, and the size of the job's file. No row if the job has no file, or no more.
-- $1 business uuid, $2 job uuid
-- -> role text, file_bytes bigint
select role, file_bytes from jobs
where business_id = $1::uuid and guid = $2::uuid and file_bytes is not null and file_until > now()
