-- Renews leases of jobs. A job whose row a portion has locked is left out: the portion renews its lease.
-- $1 leases uuid[], $2 lease_time interval
with held as (
  select business_id, guid from jobs
  where status = 'running' and lease_owner = any ($1::uuid[]) and lease_until > clock_timestamp() for no key update skip locked
)
update jobs j set lease_until = clock_timestamp() + $2::interval
from held h where j.business_id = h.business_id and j.guid = h.guid
