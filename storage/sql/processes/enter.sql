-- Adds or changes the row of a process, whose session this is, and deletes the rows of processes that have
-- ended.
-- $1 process uuid, $2 name text, $3 role text, $4 connections int (the most that it opens), $5 key_ids bigint[],
-- $6 sealing_key bigint, $7 sealing_since timestamptz or null, $8 settings jsonb (the values of common options by name),
-- $9 version text
with gone as (
  delete from processes
  where guid <> $1::uuid and started_at < now() - interval '10 seconds' and not process_lives(guid)
)
insert into processes (guid, name, role, connections, key_ids, sealing_key, sealing_since, settings, version, session_pid,
                       session_start)
values ($1::uuid, $2, $3, $4::integer, $5::bigint[], $6::bigint, $7::timestamptz, $8::jsonb, $9::text, pg_backend_pid(),
        own_session_start())
on conflict (guid) do update set sealing_key = excluded.sealing_key, sealing_since = excluded.sealing_since,
                                session_pid = excluded.session_pid, session_start = excluded.session_start
