-- Returns the shipments without customer and order whose recipient has one of the given e-mail addresses, deleted ones
-- included. The indexes on the customer find the shipments without one, all of which are read.
-- $1 business uuid, $2 emails text[] (in lower case)
-- -> guid uuid
select guid from shipments
where business_id = $1 and customer_id is null and order_id is null and deleted_at is null
  and lower(recipient_email) = any ($2::text[])
union all
select guid from shipments
where business_id = $1 and customer_id is null and order_id is null and deleted_at is not null
  and lower(recipient_email) = any ($2::text[])
