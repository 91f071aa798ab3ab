-- Limits of requests that mail to an address, and tokens that reset a password.

-- When requests that send account mails were made in the last hour, by the SHA-256 of who asked or whom they are for.
create table account_requests (
  key    bytea primary key,
  times  timestamptz[] not null
) with (fillfactor = 50);

-- At most one for each account. A table of its own: the token of a verification or an invitation resets no password, and
-- this one verifies nothing by itself.
create table password_resets (
  user_id     uuid primary key references users on delete cascade,
  token_hash  bytea not null check (length(token_hash) = 32),
  expires_at  timestamptz not null
);
create unique index password_resets_by_token on password_resets (token_hash);
