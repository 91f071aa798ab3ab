-- Adds customers and returns them. Those with an e-mail address are added in the order of the addresses, so that two calls
-- do not deadlock.
-- $1 business uuid, $2 customers jsonb (an array of JSON objects by column)
-- -> guid uuid, ...
insert into customers (business_id, guid, name, email, phone, company, street, city, state, postal_code, country,
                       external_reference, tags, metadata)
select $1, n.guid, n.name, n.email, n.phone, n.company, n.street, n.city, n.state, n.postal_code, n.country,
       n.external_reference, n.tags, n.metadata
from jsonb_array_elements($2) e, jsonb_populate_record(null::customers, merged_changes(null, e)) n
order by lower(n.email)
returning guid, name, email
