-- Returns the number of keys in use that a process does not have, and the names of the other living processes that do
-- not have its first key.
-- $1 process uuid, $2 key_ids bigint[], $3 first_key bigint
-- -> missing bigint, without text or null
select (select count(*) from secret_keys where id <> all ($2::bigint[])) as missing,
       (select string_agg(name, ', ' order by name) from processes
        where guid <> $1::uuid and $3::bigint <> all (key_ids) and process_lives(guid)) as without
