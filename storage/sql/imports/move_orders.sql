-- Orders of which the store has changed the status alone, locked before: $1 business, $2 guids, $3 their new statuses.
update orders r set status = m.status
from unnest($2::uuid[], $3::text[]) m (guid, status)
where r.business_id = $1 and r.guid = m.guid
