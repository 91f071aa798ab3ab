-- Returns the number of entries of a business's audit log. api/audit/audit_log.cpp inserts the conditions of a
-- request in the marked place.
-- $1 business uuid
-- -> total bigint
select count(*) as total from audit_log where business_id = $1::uuid/*filter*/
