-- Adds a driver and returns it.
-- $1 business uuid, $2 name text, $3 email text or null, $4 phone text or null, $5 license_number text or null,
-- $6 status text or null
-- -> guid uuid, ...
insert into drivers (business_id, name, email, phone, license_number, status)
values ($1, $2, $3, $4, $5, coalesce($6, 'available'))
returning
\ir answer.inc
