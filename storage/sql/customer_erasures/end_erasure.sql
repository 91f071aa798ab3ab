-- Forgets a complete erasure of a person's customers.
-- $1 business uuid, $2 customers uuid[]
delete from customer_erasures where business_id = $1 and customer_id = any ($2::uuid[])
