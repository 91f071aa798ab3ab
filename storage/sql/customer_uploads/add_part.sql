-- Adds a part of the rows of an upload.
-- $1 business, $2 upload, $3 number of the part, $4 lines, $5 names, $6 e-mails, $7 phones, $8 companies,
-- $9 streets, $10 cities, $11 states, $12 postal codes, $13 countries
insert into customer_upload_parts (business_id, upload_id, part, lines, names, emails, phones, companies, streets, cities,
                                   states, postal_codes, countries)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
