-- A new upload: $1 business, $2 guid.
insert into customer_uploads (business_id, guid) values ($1, $2)
