-- Businesses, their tokens, and what the API keeps for them.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table businesses (
  guid          uuid primary key default gen_random_uuid(),
  name          text not null check (name <> ''),
  email         text,
  phone         text,
  street        text,
  city          text,
  state         text,
  postal_code   text,
  country       text,
  timezone      text not null default 'UTC',
  currency      text not null default 'EUR' check (currency ~ '^[A-Z]{3}$'),
  plan          text not null default 'standard',
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now()
);
create index businesses_by_name on businesses (name);

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
-- The one look-up that cannot know its business yet.
create unique index api_tokens_by_hash on api_tokens (token_hash);

create table idempotency_keys (
  business_id   uuid not null,  -- nil for a user's token, whose business may change
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

-- A word sealed with the key that seals all secrets here.
create table key_check (
  only_row  boolean primary key default true check (only_row),
  sealed    bytea not null
);

-- What a list shows whole has at most 1000 rows in a business: $1 which of the table's rows are listed. The business's row
-- is held while they are counted.
create function refuse_more_than_listed() returns trigger language plpgsql as $$
declare
  listed bigint;
begin
  perform from businesses where guid = new.business_id for no key update;
  execute format('select count(*) from %I where business_id = $1 and %s', tg_table_name, tg_argv[0])
    into listed using new.business_id;
  if listed >= 1000 then
    raise exception 'business % has 1000 %', new.business_id, tg_table_name
      using errcode = 'program_limit_exceeded', constraint = tg_table_name || '_listed';
  end if;
  return new;
end $$;
