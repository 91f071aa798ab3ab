-- Deletes a customer. The customer's orders stay.
-- $1 business, $2 customer
update customers set deleted_at = now() where business_id = $1 and guid = $2 and deleted_at is null
