-- Creates the table of applied migrations.
create table if not exists schema_migrations (
  name        text primary key,
  checksum    text not null check (checksum ~ '^[0-9a-f]{64}$'),
  applied_at  timestamptz not null default now()
)
