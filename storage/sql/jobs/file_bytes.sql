-- Returns the size of all files of a business.
-- $1 business uuid
-- -> total bigint
select coalesce(sum(file_bytes), 0)::bigint as total from jobs where business_id = $1::uuid and file_until > now()
