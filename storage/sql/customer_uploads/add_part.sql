-- Adds a part of the rows of an upload.
-- $1 business uuid, $2 upload uuid, $3 part int, $4 lines int[], $5 names text[], $6 emails text[],
-- $7 phones text[], $8 companies text[], $9 streets text[], $10 cities text[], $11 states text[],
-- $12 postal_codes text[], $13 countries text[], $14 external_references text[], $15 tags jsonb[]
insert into customer_upload_parts (business_id, upload_id, part, lines, names, emails, phones, companies, streets, cities,
                                   states, postal_codes, countries, external_references, tags)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
