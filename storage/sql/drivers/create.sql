-- Adds a driver and returns it.
-- $1 business, $2 name, $3 e-mail, $4 phone, $5 licence number, $6 status or null
insert into drivers (business_id, name, email, phone, license_number, status)
values ($1, $2, $3, $4, $5, coalesce($6, 'available'))
returning
\ir answer.inc
