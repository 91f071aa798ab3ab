-- Returns the number of a business's purchases of labels that wait for a call to a carrier, up to $2.
-- $1 business uuid, $2 most bigint
-- -> purchases bigint
select count(*) as purchases
from (select from purchases where business_id = $1::uuid and claim_at is not null limit $2::bigint) counted
