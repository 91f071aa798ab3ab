-- Gives up a worker's leases of purchases, apart from those that it is buying. They can be claimed again after a second.
-- $1 worker uuid, $2 businesses uuid[], $3 purchases uuid[]
update purchases p
set lease_owner = null, lease_until = null,
    claim_at = case when p.next_at is not null then greatest(p.next_at, statement_timestamp() + interval '1 second') end
from unnest($2::uuid[], $3::uuid[]) n (business_id, guid)
where p.business_id = n.business_id and p.guid = n.guid and p.lease_owner = $1::uuid and p.status <> 'buying'
