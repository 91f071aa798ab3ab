-- A subscription, once for each endpoint: $1 business, $2 user, $3 endpoint, $4 p256dh, $5 auth.
insert into push_subscriptions (business_id, user_id, endpoint, p256dh, auth)
values ($1::uuid, $2::uuid, $3, $4, $5)
on conflict (business_id, endpoint) do update
set user_id = excluded.user_id, p256dh = excluded.p256dh, auth = excluded.auth, updated_at = now()
