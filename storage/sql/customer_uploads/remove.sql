-- Deletes a locked upload with its rows.
-- $1 business uuid, $2 upload uuid
delete from customer_uploads where business_id = $1 and guid = $2
