-- Returns the newest subscriptions that receive a push message of a business, or of one of its users.
-- $1 business, $2 user or null, $3 limit
select guid, endpoint, p256dh, auth, updated_at
from push_audience($1::uuid, $2::uuid)
order by updated_at desc, guid
limit $3::bigint
