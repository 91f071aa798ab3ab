-- The list of messages: what runs sent, waits, failed or was skipped. It is read from runs; mails alone also have rows by which their
-- addresses find them.

-- The addresses of mails. The rows are kept as long as their runs.
create table mail_addresses (
  business_id  uuid not null,
  address      uuid not null,         -- a keyed hash (storage/settings/address_hash.hpp)
  run          uuid not null,
  step         integer not null,      -- from 1
  at           timestamptz not null,  -- guid_time(run)
  primary key (business_id, address, run, step, at)
) partition by range (at);
create index mail_addresses_of_run on mail_addresses (business_id, run);
create table mail_addresses_other partition of mail_addresses default;
alter table mail_addresses_other set (autovacuum_analyze_scale_factor = 1);
select make_partitions_of(array['mail_addresses'], (now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + 7);

-- The guid of the message that a step of a run sends; that of the first step is the run's. The function is its own inverse:
-- message_guid(message_guid(run, step), step) = run.
create function message_guid(run uuid, step integer) returns uuid language sql immutable parallel safe as $$
  select encode(set_byte(b.bytes, 15, get_byte(b.bytes, 15) # (step - 1)), 'hex')::uuid from (select uuid_send(run) as bytes) b $$;

-- True for the type of an action whose steps are messages.
create function sends_message(type text) returns boolean language sql immutable parallel safe as $$
  select type in ('send_email', 'send_push', 'webhook') $$;

-- The messages of a run with the given columns: its begun steps that send, and the only one of a run of one action. Steps in
-- ways not taken are left out, and those that a replay has from the earlier run. `at` is the end of the step; while it waits, its
-- start.
create function messages_of(action text, status text, code text, created_at timestamptz, finished_at timestamptz,
                            replay_of uuid, steps text)
returns table (step integer, type text, status text, code text, at timestamptz) language sql stable parallel safe rows 2 as $$
  select m.step, m.type,
         case m.status when 'succeeded' then 'sent' when 'dead' then 'dead' when 'skipped' then 'skipped' else 'waiting' end,
         m.code, m.at
  from (select steps::jsonb as stored offset 0) s
  cross join lateral (
    select 1 as step, action as type, status, code, coalesce(finished_at, created_at) as at
    where s.stored is null
    union all
    select (s.stored ->> 'number')::integer, s.stored ->> 'type', status, code,
           coalesce(finished_at, (s.stored ->> 'startedAt')::timestamptz)
    where s.stored ->> 'startedAt' is not null and s.stored -> 'results' -> -1 -> 'number' is distinct from s.stored -> 'number'
    union all
    select (r ->> 'number')::integer, r ->> 'type', r ->> 'status', r ->> 'code', (r ->> 'finishedAt')::timestamptz
    from jsonb_array_elements(s.stored -> 'results') r
    where r ->> 'startedAt' is not null
      and (replay_of is null or (r ->> 'finishedAt')::timestamptz >= date_trunc('milliseconds', created_at))
  ) m
  where sends_message(m.type) $$;

-- The step whose texts the row of a run holds: the last one with texts. Texts of earlier steps are in run_step_texts.
create function step_of_texts(action text, steps text) returns integer language sql immutable parallel safe as $$
  select case
    when steps is null then 1
    when not steps_are_over(steps) and steps::json ->> 'startedAt' is not null then step_number(steps)
    else (select max((r ->> 'number')::integer) from json_array_elements(steps::json -> 'results') r
          where r ->> 'type' = action and r ->> 'startedAt' is not null
            and coalesce(r ->> 'code', '') not in ('CONDITION', 'ERASED', 'INVALID_VALUE', 'PAYLOAD_TOO_LARGE', 'CONFIGURATION_ERROR'))
  end $$;
