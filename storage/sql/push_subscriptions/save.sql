-- Adds or replaces the subscription of an endpoint. The business keeps only its newest subscriptions, because
-- push services do not report every browser that is gone.
-- $1 business uuid, $2 user uuid or null, $3 endpoint text, $4 p256dh text, $5 auth text,
-- $6 max_subscriptions bigint
with displaced as (
  delete from push_subscriptions p
  using (select guid from push_subscriptions where business_id = $1::uuid and endpoint <> $3
         order by updated_at desc, guid offset $6::bigint - 1) oldest
  where p.business_id = $1::uuid and p.guid = oldest.guid
)
insert into push_subscriptions (business_id, user_id, endpoint, p256dh, auth)
values ($1::uuid, $2::uuid, $3, $4, $5)
on conflict (business_id, endpoint) do update
set user_id = excluded.user_id, p256dh = excluded.p256dh, auth = excluded.auth, updated_at = now()
