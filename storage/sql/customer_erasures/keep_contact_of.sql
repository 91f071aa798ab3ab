-- Keeps customers that had the person of an erasure among their contacts, until the erasure is complete.
-- $1 business uuid, $2 customer uuid, $3 contact_of uuid[]
update customer_erasures e
set contact_of = array(select unnest(e.contact_of) union select unnest($3::uuid[]))
where e.business_id = $1 and e.customer_id = $2
