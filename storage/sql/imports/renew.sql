-- Renews a worker's leases of integrations. Returns the integrations that the worker still holds and can
-- continue to import from.
-- $1 worker uuid, $2 integrations uuid[], $3 lease interval
-- -> guid uuid
update integrations set lease_until = clock_timestamp() + $3::interval
where lease_owner = $1 and guid = any ($2::uuid[]) and lease_until > clock_timestamp() and status = 'active'
  and removed_at is null
  and not exists (select from businesses b where b.guid = integrations.business_id and b.suspended_at is not null)
returning guid
