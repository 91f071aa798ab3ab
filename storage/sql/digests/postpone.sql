-- Lets locked digests be looked at again later: their workflow is not known or not readable here, or their business is suspended.
-- $1 businesses uuid[], $2 digests uuid[], $3 delay interval
update digests d set check_at = statement_timestamp() + $3::interval
from unnest($1::uuid[], $2::uuid[]) n (business_id, guid)
where d.business_id = n.business_id and d.guid = n.guid
