-- Renews the lease of an integration and locks its row, so that it cannot be disabled, removed or claimed
-- until the page is committed; the first statement of a page. No row if the worker has lost the lease or the
-- integration is not active or its business is suspended.
-- $1 business uuid, $2 integration uuid, $3 worker uuid, $4 lease interval
update integrations set lease_until = clock_timestamp() + $4::interval
where business_id = $1 and guid = $2 and lease_owner = $3 and lease_until > clock_timestamp() and status = 'active'
  and removed_at is null
  and not exists (select from businesses b where b.guid = integrations.business_id and b.suspended_at is not null)
returning guid
