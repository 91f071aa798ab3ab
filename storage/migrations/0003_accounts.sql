-- Users, their sessions, password resets, limits of logins and account mails, and mails that are not sent yet.

-- A person has one account and belongs to at most one business. An invitation is a row without a password until it is
-- accepted: its address can still register, or be invited by other businesses.
create table users (
  guid                   uuid primary key default gen_random_uuid(),
  email                  text not null,
  password_hash          text,  -- Argon2id with its parameters and salt; null: invited
  first_name             text,
  last_name              text,
  business_id            uuid references businesses,
  role                   text check (role in ('viewer', 'operator', 'admin', 'owner')),
  verified_at            timestamptz,
  mail_token_hash        bytea check (length(mail_token_hash) = 32),  -- of the last mailed token; null once used
  mail_token_expires_at  timestamptz,
  created_at             timestamptz not null default now(),
  updated_at             timestamptz not null default now(),
  constraint users_membership_whole check ((business_id is null) = (role is null)),
  constraint users_mail_token_whole check ((mail_token_hash is null) = (mail_token_expires_at is null)),
  constraint users_invited_somewhere check (password_hash is not null or business_id is not null)
);
-- The business is not known at a login.
create unique index users_email_unique on users (lower(email)) where password_hash is not null;
create unique index users_business_email_unique on users (business_id, lower(email)) where business_id is not null;
create unique index users_by_mail_token on users (mail_token_hash) where mail_token_hash is not null;
create index users_by_business on users (business_id, created_at, guid) where business_id is not null;

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

-- At most one for each account. Separate from users.mail_token_hash: a token of a verification or an invitation resets
-- no password, and a token of a reset verifies no address by itself.
create table password_resets (
  user_id     uuid primary key references users on delete cascade,
  token_hash  bytea not null check (length(token_hash) = 32),
  expires_at  timestamptz not null
);
create unique index password_resets_by_token on password_resets (token_hash);

-- Times of recent failed logins. The key is the SHA-256 of the account's address or of the client's network.
create table login_failures (
  key    bytea primary key,
  times  timestamptz[] not null
) with (fillfactor = 50);

-- Times of the requests of the last hour that send account mails. The key is the SHA-256 of the client's network or of
-- the recipient's address.
create table account_requests (
  key    bytea primary key,
  times  timestamptz[] not null
) with (fillfactor = 50);

-- Mails that are not sent yet, sealed because they may hold a token. Users without a business get mails too, so there
-- is no business_id.
create table mail_outbox (
  guid        uuid primary key,
  sealed      bytea not null,
  attempts    integer not null default 0,
  due_at      timestamptz not null default now(),  -- while it is being sent: the time of the next attempt
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null                 -- the mail is useless afterwards
);
create index mail_outbox_by_due on mail_outbox (due_at);

-- The addresses at which a business is reached, one a line: its own, or else those of its owners and admins.
create function contact_addresses(business uuid) returns text language sql stable as $$
  select coalesce(b.email, (select string_agg(u.email, E'\n' order by u.created_at, u.guid)
                            from (select * from users u
                                  where u.business_id = b.guid and u.role in ('owner', 'admin') and u.verified_at is not null
                                  order by u.created_at, u.guid limit 20) u))
  from businesses b where b.guid = business $$;
