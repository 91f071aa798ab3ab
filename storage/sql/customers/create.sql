-- Adds a customer and returns it.
-- $1 business, $2 name, $3 e-mail, $4 phone, $5 company, $6 street, $7 city, $8 state, $9 postal code,
-- $10 country
insert into customers (business_id, name, email, phone, company, street, city, state, postal_code, country)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
returning guid, name, email
