-- Returns whether a job is still to be performed by the owner of a lease.
-- $1 business uuid, $2 job uuid, $3 lease uuid
-- -> is_held boolean
select exists (select from jobs where business_id = $1::uuid and guid = $2::uuid and status = 'running'
                 and lease_owner = $3::uuid and stop is null) as is_held
