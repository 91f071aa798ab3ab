-- Adds customers and returns them. Those with an e-mail address are added in the order of the addresses, so that two calls
-- do not deadlock.
-- runs: shared
-- $1 business uuid, $2 customers jsonb (an array of JSON objects by column)
-- -> guid uuid, ...
insert into customers (business_id, guid,
\columns names customers.merged
)
select $1, n.guid,
\columns values customers.merged n
from jsonb_array_elements($2) e, jsonb_populate_record(null::customers, merged_changes(null, e)) n
order by lower(n.email)
returning guid, name, email
