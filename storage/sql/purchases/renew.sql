-- Renews a worker's leases of purchases. Returns the purchases that the worker still holds.
-- $1 worker uuid, $2 businesses uuid[], $3 purchases uuid[], $4 lease interval
-- -> business_id uuid, guid uuid
update purchases p
set lease_until = l.until, claim_at = case when p.next_at is not null then greatest(p.next_at, l.until) end
from unnest($2::uuid[], $3::uuid[]) n (business_id, guid), (select clock_timestamp() + $4::interval as until) l
where p.business_id = n.business_id and p.guid = n.guid and p.lease_owner = $1::uuid and p.lease_until > clock_timestamp()
returning p.business_id, p.guid
