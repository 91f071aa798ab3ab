-- Sets the status of locked orders for which the store changed only the status.
-- $1 business uuid, $2 orders uuid[], $3 statuses text[]
update orders r set status = m.status
from unnest($2::uuid[], $3::text[]) m (guid, status)
where r.business_id = $1 and r.guid = m.guid
