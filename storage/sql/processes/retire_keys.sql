-- Takes all keys but one out of use and replaces the sealed check value.
-- $1 key bigint, $2 check_value bytea (sealed)
with retired as (
  delete from secret_keys where id <> $1::bigint
)
update key_check set sealed = $2::bytea
