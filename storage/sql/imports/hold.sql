-- A page's first statement: proves that the worker $3 may write for the integration $2 of the business $1, and keeps it
-- from being disabled, removed or taken over until the page is committed. The lease is prolonged to $4 from now. No row:
-- it may not.
update integrations set lease_until = clock_timestamp() + $4::interval
where business_id = $1 and guid = $2 and lease_owner = $3 and lease_until > clock_timestamp() and status = 'active'
  and removed_at is null
returning guid
