-- Lets runs begin as far as the limits of their workflows allow. Returns the runs that may not begin: those whose limit is
-- reached, and those whose row another session has locked.
-- $1 businesses uuid[], $2 workflows uuid[], $3 runs uuid[], $4 counts int[], $5 periods text[] (ISO 8601)
-- -> run uuid, is_locked boolean
select run, is_locked from begin_within_limits($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::text[]::interval[])
