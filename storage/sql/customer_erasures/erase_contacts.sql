-- Removes a person from the contacts of the next customers: each contact with one of the person's e-mail addresses, or one of
-- the names if the contact has no address. Returns the number of customers, at most a limit, the last of them, and those that
-- had such a contact.
-- $1 business uuid, $2 emails text[], $3 names text[] (both in lower case), $4 after uuid, $5 limit bigint
-- -> customers bigint, last uuid, changed text or null (guids)
with page as materialized (
  select guid from customers where business_id = $1 and guid > $4::uuid order by guid limit $5::bigint
), found as materialized (
  select c.guid, without_person(c.contacts, $2::text[], $3::text[]) as contacts
  from page p join customers c on c.business_id = $1 and c.guid = p.guid
  where c.contacts <> '[]' and c.contacts <> without_person(c.contacts, $2::text[], $3::text[])
  for update of c
), changed as (
  update customers r set contacts = f.contacts from found f where r.business_id = $1 and r.guid = f.guid returning r.guid
)
select count(*) as customers, coalesce((select guid from page order by guid desc limit 1), $4::uuid) as last,
       (select string_agg(guid::text, ',') from changed) as changed
from page
