-- Forgets a complete erasure of a customer.
-- $1 business uuid, $2 customer uuid
delete from customer_erasures where business_id = $1 and customer_id = $2
