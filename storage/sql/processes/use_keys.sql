-- Adds keys to those in use.
-- $1 key_ids bigint[]
insert into secret_keys (id) select unnest($1::bigint[]) on conflict (id) do nothing
