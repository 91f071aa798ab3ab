-- The running processes with their keys and connections, and the keys in use, so that a key can be replaced while the
-- processes run.

-- A process adds its row when it connects. It lives while its session has the advisory lock on its guid (worker_lock).
create table processes (
  guid           uuid primary key,
  name           text not null,
  role           text not null check (role in ('up', 'api', 'worker')),
  connections    integer not null,      -- the most that it opens
  key_ids        bigint[] not null,    -- the keys with which it decrypts
  sealing_key    bigint not null,       -- the key with which it encrypts
  sealing_since  timestamptz,           -- null: since its start
  started_at     timestamptz not null default now()
);

-- The keys that may have sealed a value of this database. A process that lacks one of them does not start.
create table secret_keys (
  id             bigint primary key,
  first_used_at  timestamptz not null default now()
);

create function process_lives(process uuid) returns boolean language sql stable as $$
  select exists (select from pg_locks l
                 where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
                   and l.database = (select d.oid from pg_database d where d.datname = current_database())
                   and ((l.classid::bigint << 32) | l.objid::bigint) = worker_lock(process)) $$;
