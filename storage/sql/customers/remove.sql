-- Deletes a customer. The customer's orders stay.
-- $1 business uuid, $2 customer uuid
update customers set deleted_at = now() where business_id = $1 and guid = $2 and deleted_at is null
