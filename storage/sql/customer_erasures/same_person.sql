-- Returns the deleted customers that are a person: those with one of the e-mail addresses, and those that an unfinished erasure
-- of the person has found, which may have erased the address.
-- $1 business uuid, $2 emails text[] (in lower case)
-- -> guid uuid
select c.guid from customers c
where c.business_id = $1 and c.deleted_at is not null and lower(c.email) = any ($2::text[])
union
select c.guid from customer_erasures e join customers c on c.business_id = e.business_id and c.guid = e.customer_id
where e.business_id = $1 and e.emails && $2::text[] and c.deleted_at is not null
