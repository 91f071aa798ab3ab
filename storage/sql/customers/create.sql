-- Adds a customer and returns it.
-- $1 business uuid, $2 name text, $3 email text, $4 phone text, $5 company text, $6 street text,
-- $7 city text, $8 state text, $9 postal_code text, $10 country text
insert into customers (business_id, name, email, phone, company, street, city, state, postal_code, country)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
returning guid, name, email
