-- An erased person is removed from the contacts of other customers.

-- Contacts without those that have one of the e-mail addresses, or one of the names and no address (all in lower case).
create function without_person(contacts jsonb, emails text[], names text[]) returns jsonb language sql immutable
return case when jsonb_typeof(contacts) <> 'array' then contacts else coalesce((
  select jsonb_agg(c.contact order by c.place)
  from jsonb_array_elements(contacts) with ordinality c (contact, place)
  where not case when coalesce(c.contact ->> 'email', '') <> '' then lower(c.contact ->> 'email') = any (emails)
                 else coalesce(lower(c.contact ->> 'name'), '') = any (names) end), '[]') end;

create function without_person(customer customers, emails text[], names text[]) returns customers language sql stable as $$
  select jsonb_populate_record(customer, jsonb_build_object('contacts', without_person(customer.contacts, emails, names)))
$$;
