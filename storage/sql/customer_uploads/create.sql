-- Adds an upload.
-- $1 business uuid, $2 guid uuid
insert into customer_uploads (business_id, guid) values ($1, $2)
