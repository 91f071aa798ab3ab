-- Returns the name and the address of a business, from which its parcels are sent.
-- $1 business uuid
-- -> name text, email text or null, phone text or null, street text or null, city text or null, state text or null,
-- postal_code text or null, country text or null
select name, email, phone, street, city, state, postal_code, country from businesses where guid = $1::uuid
