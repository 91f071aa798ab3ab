-- A new customer: $1 business, $2 name, $3 e-mail, $4 phone, $5 company, $6 to $10 the address.
insert into customers (business_id, name, email, phone, company, street, city, state, postal_code, country)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
returning guid, name, email
