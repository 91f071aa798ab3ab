-- Returns the newest subscriptions that receive a push message of a business, or of one of its users.
-- $1 business uuid, $2 user uuid or null, $3 limit bigint
-- -> guid uuid, endpoint text, p256dh text, auth text, updated_at timestamptz
select guid, endpoint, p256dh, auth, updated_at
from push_audience($1::uuid, $2::uuid)
order by updated_at desc, guid
limit $3::bigint
