-- The $3 newest subscriptions that a push message of business $1 goes to: of all, or of the user $2.
select guid, endpoint, p256dh, auth, updated_at
from push_audience($1::uuid, $2::uuid)
order by updated_at desc, guid
limit $3::bigint
