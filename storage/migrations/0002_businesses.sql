-- Businesses, their settings and API tokens, and what the API keeps for each of them.

create table businesses (
  guid                  uuid primary key default gen_random_uuid(),
  name                  text not null check (name <> ''),
  email                 text,
  phone                 text,
  street                text,
  city                  text,
  state                 text,
  postal_code           text,
  country               text,
  timezone              text not null default 'UTC',
  currency              text not null default 'EUR' check (currency ~ '^[A-Z]{3}$'),
  plan                  text not null default 'standard',
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  registered_by_itself  boolean  -- its mails a day are limited on the plans free and standard; null: made by the operator
);
create index businesses_by_name on businesses (name);
create index businesses_by_email on businesses (lower(email));

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

-- Number of mail recipients who are not users of the business, by day (UTC).
create table business_mails (
  business_id  uuid not null references businesses,
  day          date not null,
  recipients   integer not null,
  primary key (business_id, day)
) with (fillfactor = 50);

create table api_tokens (
  business_id   uuid not null references businesses,
  guid          uuid not null default gen_random_uuid(),
  name          text not null,
  role          text not null default 'admin' check (role in ('viewer', 'operator', 'admin', 'owner')),
  token_hash    bytea not null check (length(token_hash) = 32),
  created_at    timestamptz not null default now(),
  last_used     timestamptz,
  expires_at    timestamptz,
  revoked_at    timestamptz,
  primary key (business_id, guid)
);
-- The business is not known before the token is found.
create unique index api_tokens_by_hash on api_tokens (token_hash);
create index api_tokens_by_creation on api_tokens (business_id, created_at, guid);

-- Requests granted to each token in the current minute, by all API processes together. A crash of PostgreSQL may lose
-- them, so the table is not logged.
create unlogged table quota_windows (
  token_id      uuid primary key,
  window_start  bigint not null,           -- Unix time in minutes
  used          bigint not null,
  granted       bigint not null,           -- by the last lease
  holder        uuid not null,             -- API process of the last lease
  is_shared     boolean not null           -- several processes leased in this window
) with (fillfactor = 50);

create table idempotency_keys (
  business_id   uuid not null,  -- nil for a user's session, because a user can change business
  token_id      uuid not null,
  key           text not null,
  request_hash  bytea not null,
  status        integer,
  body          text,
  location      text,
  created_at    timestamptz not null default now(),
  primary key (business_id, token_id, key),
  constraint idempotency_keys_finished_whole check ((status is null) = (body is null))
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- A constant text, sealed with the key that seals all secrets of this database: a process with another key does not
-- start.
create table key_check (
  only_row  boolean primary key default true check (only_row),
  sealed    bytea not null
);

-- Limits a table that the API lists without pages to 1000 rows a business. The trigger's argument is an SQL condition
-- for the rows that count. Locks the business's row, so that concurrent inserts are counted.
create function limit_rows() returns trigger language plpgsql as $$
declare
  row_count bigint;
begin
  perform from businesses where guid = new.business_id for no key update;
  execute format('select count(*) from %I where business_id = $1 and %s', tg_table_name, tg_argv[0])
    into row_count using new.business_id;
  if row_count >= 1000 then
    raise exception 'business % has 1000 %', new.business_id, tg_table_name
      using errcode = 'program_limit_exceeded', constraint = tg_table_name || '_listed';
  end if;
  return new;
end $$;
