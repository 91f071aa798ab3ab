-- Push messages: a business's signing key and the browsers that have subscribed.

-- The key that signs a business's push messages (RFC 8292).
create table vapid_keys (
  business_id         uuid primary key references businesses,
  public_key          text not null,   -- the point, in base64url
  private_key_sealed  bytea not null,
  created_at          timestamptz not null default now()
);

create table push_subscriptions (
  business_id  uuid not null references businesses,
  guid         uuid not null default gen_random_uuid(),
  user_id      uuid references users on delete cascade,  -- null: saved with an API token
  endpoint     text not null check (length(endpoint) <= 2000),
  p256dh       text not null,
  auth         text not null,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  primary key (business_id, guid),
  constraint push_subscriptions_endpoint_unique unique (business_id, endpoint)
);
create index push_subscriptions_by_user on push_subscriptions (user_id) where user_id is not null;

-- The subscriptions that a push message of a business is sent to: all, or those of one user (`recipient`). Subscriptions of
-- users who have left the business get none.
create function push_audience(business uuid, recipient uuid) returns setof push_subscriptions language sql stable as $$
  select s.* from push_subscriptions s
  where s.business_id = business and (recipient is null or s.user_id = recipient)
    and (s.user_id is null or exists (select from users u where u.guid = s.user_id and u.business_id = business)) $$;
