-- Sets the status of locked orders for which the store changed only the status.
-- $1 business, $2 orders, $3 statuses
update orders r set status = m.status
from unnest($2::uuid[], $3::text[]) m (guid, status)
where r.business_id = $1 and r.guid = m.guid
