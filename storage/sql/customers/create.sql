-- Adds a customer and returns it.
-- $1 business uuid, $2 name text, $3 email text or null, $4 phone text or null, $5 company text or null,
-- $6 street text or null, $7 city text or null, $8 state text or null, $9 postal_code text or null,
-- $10 country text or null, $11 external_reference text or null, $12 tags jsonb or null, $13 metadata jsonb or null
-- -> guid uuid, ...
insert into customers (business_id, name, email, phone, company, street, city, state, postal_code, country,
                       external_reference, tags, metadata)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
returning guid, name, email
