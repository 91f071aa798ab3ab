-- Deletes a customer, whose orders stay: $1 business, $2 guid.
update customers set deleted_at = now() where business_id = $1 and guid = $2 and deleted_at is null
