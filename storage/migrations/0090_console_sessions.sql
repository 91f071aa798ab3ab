-- Sessions of people at the console: their tokens are in a cookie.

-- A token of a login is sent in the header Authorization, one of a cookie only by the browser, and neither in place of the
-- other.
alter table user_sessions add column by_cookie boolean not null default false;

-- One-time links that an operator makes, and the sessions that they open. A session is nobody's: it has a role in the business
-- and the name of the operating system's user who made the link.
create table console_sessions (
  guid           uuid primary key default gen_random_uuid(),
  business_id    uuid not null references businesses,
  role           text not null check (role in ('viewer', 'operator', 'admin', 'owner')),
  operator_name  text not null,
  secret_hash    bytea not null check (length(secret_hash) = 32),  -- of the link; once it is used, of the session's token
  created_at     timestamptz not null default clock_timestamp(),
  started_at     timestamptz,                                      -- null: the link is not used
  expires_at     timestamptz not null                              -- of the link; once it is used, of the session
);
create unique index console_sessions_by_hash on console_sessions (secret_hash);
create index console_sessions_by_business on console_sessions (business_id);
create index console_sessions_by_expiry on console_sessions (expires_at);

-- The audit log has who made a link, and when and from where it was used. Their ends are no changes of a person.
create trigger audit after insert or update of started_at on console_sessions for each row
  execute function record_audit('console_link', 'guid', '', 'role=role', 'started_at@usedAt');
