-- Removes a person from the contacts of customers in the next events of customers, as erase_contacts.sql does. Returns the number
-- of events, at most a limit, the last of them, and the customers whose events had such a contact.
-- $1 business uuid, $2 emails text[], $3 names text[] (both in lower case), $4 after_event bigint, $5 limit bigint
-- -> events bigint, last bigint, changed text or null (guids)
with page as materialized (
  select id, at, entity_type from events where business_id = $1 and id > $4::bigint order by id limit $5::bigint
), changed as (
  update events e
  set customer_before = case when (e.customer_before).contacts is null then e.customer_before
                             else without_person(e.customer_before, $2::text[], $3::text[]) end,
      customer_after = case when (e.customer_after).contacts is null then e.customer_after
                            else without_person(e.customer_after, $2::text[], $3::text[]) end
  from page p
  where p.entity_type = 2 and e.business_id = $1 and e.id = p.id and e.at = p.at
    and ((e.customer_before).contacts <> without_person((e.customer_before).contacts, $2::text[], $3::text[])
         or (e.customer_after).contacts <> without_person((e.customer_after).contacts, $2::text[], $3::text[]))
  returning e.entity_id
)
select count(*) as events, coalesce(max(id), $4::bigint) as last,
       (select string_agg(distinct entity_id::text, ',') from changed) as changed
from page
