-- Prolongs the leases that the worker $1 has of the integrations $2, to $3 from now. Those it still has, and may go on
-- with, are answered.
update integrations set lease_until = clock_timestamp() + $3::interval
where lease_owner = $1 and guid = any ($2::uuid[]) and lease_until > clock_timestamp() and status = 'active'
  and removed_at is null
returning guid
