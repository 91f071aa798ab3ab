-- The key of the cursors of the events feed. It stays the same when the secret key is replaced, so that cursors never expire.

create table feed_key (
  only_row   boolean primary key default true check (only_row),
  sealed     bytea,                -- null until the first process has made it
  used_from  timestamptz not null  -- until then, new cursors are sealed as earlier versions expect them
);
-- Earlier versions do not know the key. Where some may still run, it is used a day later.
insert into feed_key (used_from)
select case when exists (select from businesses) then now() + interval '1 day' else now() end;
