-- People and their sessions, mails that wait to be sent, push subscriptions, a business's defaults, and the quotas of tokens.

-- A person has one account and is of one business at most. An invitation is a row of its business without a password
-- until it is accepted: it neither keeps its address from registering nor from being invited elsewhere.
create table users (
  guid                   uuid primary key default gen_random_uuid(),
  email                  text not null,
  password_hash          text,  -- Argon2id with its parameters and salt; null: invited
  first_name             text,
  last_name              text,
  business_id            uuid references businesses,
  role                   text check (role in ('viewer', 'operator', 'admin', 'owner')),
  verified_at            timestamptz,
  mail_token_hash        bytea check (length(mail_token_hash) = 32),  -- of the token last mailed; null once used
  mail_token_expires_at  timestamptz,
  created_at             timestamptz not null default now(),
  updated_at             timestamptz not null default now(),
  constraint users_membership_whole check ((business_id is null) = (role is null)),
  constraint users_mail_token_whole check ((mail_token_hash is null) = (mail_token_expires_at is null)),
  constraint users_invited_somewhere check (password_hash is not null or business_id is not null)
);
-- Logins know no business yet.
create unique index users_email_unique on users (lower(email)) where password_hash is not null;
create unique index users_business_email_unique on users (business_id, lower(email)) where business_id is not null;
create unique index users_by_mail_token on users (mail_token_hash) where mail_token_hash is not null;
create index users_by_business on users (business_id, created_at, guid) where business_id is not null;
create index businesses_by_email on businesses (lower(email));

create table user_sessions (
  guid        uuid primary key default gen_random_uuid(),
  user_id     uuid not null references users on delete cascade,
  token_hash  bytea not null check (length(token_hash) = 32),
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null
);
create unique index user_sessions_by_hash on user_sessions (token_hash);
create index user_sessions_by_user on user_sessions (user_id);
create index user_sessions_by_expiry on user_sessions (expires_at);

-- When logins failed lately, by the SHA-256 of whose or where from they were.
create table login_failures (
  key    bytea primary key,
  times  timestamptz[] not null
) with (fillfactor = 50);

-- Mails that were not sent yet, sealed, as they may hold a token. Not of a business: people without one get mails too.
create table mail_outbox (
  guid        uuid primary key,
  sealed      bytea not null,
  attempts    integer not null default 0,
  due_at      timestamptz not null default now(),  -- while it is being sent: when it is taken up again
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null                 -- it is of no use after
);
create index mail_outbox_by_due on mail_outbox (due_at);

-- What signs a business's push messages (RFC 8292).
create table vapid_keys (
  business_id         uuid primary key references businesses,
  public_key          text not null,   -- the point in base64url
  private_key_sealed  bytea not null,
  created_at          timestamptz not null default now()
);

create table push_subscriptions (
  business_id  uuid not null references businesses,
  guid         uuid not null default gen_random_uuid(),
  user_id      uuid references users on delete cascade,  -- null: saved by an API token
  endpoint     text not null check (length(endpoint) <= 2000),
  p256dh       text not null,
  auth         text not null,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  primary key (business_id, guid),
  constraint push_subscriptions_endpoint_unique unique (business_id, endpoint)
);
create index push_subscriptions_by_user on push_subscriptions (user_id) where user_id is not null;

create table business_defaults (
  business_id       uuid primary key references businesses,
  carrier_id        uuid,
  service_level     text not null default 'standard',
  length            numeric not null default 30 check (length >= 0 and length < 1e12),
  width             numeric not null default 20 check (width >= 0 and width < 1e12),
  height            numeric not null default 10 check (height >= 0 and height < 1e12),
  unit              text not null default 'cm' check (unit in ('cm', 'in', 'm')),
  email_enabled     boolean not null default true,
  push_enabled      boolean not null default true
);

-- How much of its present minute each token has been granted, to all API nodes together. What a crash of PostgreSQL
-- takes of it is forgotten, so it needs no log.
create unlogged table quota_windows (
  token_id      uuid primary key,
  window_start  bigint not null,           -- Unix minutes
  used          bigint not null,
  granted       bigint not null,           -- by the last lease
  holder        uuid not null,             -- the node of the last lease
  is_shared     boolean not null           -- several nodes leased in this window
) with (fillfactor = 50);

create index api_tokens_by_creation on api_tokens (business_id, created_at, guid);
