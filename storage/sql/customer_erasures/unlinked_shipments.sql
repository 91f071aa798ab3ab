-- Returns the shipments without customer and order whose recipient has one of some e-mail addresses, deleted ones
-- included. It reads all shipments of the business without a customer, by the indexes of customers.
-- $1 business uuid, $2 emails text[] (in lower case)
-- -> guid uuid
select guid from shipments
where business_id = $1 and customer_id is null and order_id is null and deleted_at is null
  and lower(recipient_email) = any ($2::text[])
union all
select guid from shipments
where business_id = $1 and customer_id is null and order_id is null and deleted_at is not null
  and lower(recipient_email) = any ($2::text[])
