-- Returns the contacts of other customers that are a person: those with one of the e-mail addresses, or one of the names if the
-- contact has no address.
-- $1 business uuid, $2 customer uuid, $3 emails text[], $4 names text[] (both in lower case)
select c.guid as "customerId", e.contact
from customers c
cross join lateral jsonb_array_elements(c.contacts) with ordinality e (contact, place)
where c.business_id = $1 and c.guid <> $2 and c.deleted_at is null and c.contacts <> '[]'
  and without_person(jsonb_build_array(e.contact), $3::text[], $4::text[]) = '[]'
order by c.guid, e.place
