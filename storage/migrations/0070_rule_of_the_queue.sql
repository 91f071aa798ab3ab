-- The statements of the queue name no actions: a column says which runs change a record.
--
-- The steps run outside a transaction, so building the index keeps no writer waiting. A migration that was interrupted runs all
-- of them again.

-- @step
-- The type of the run's action if the action changes a record; otherwise null. An earlier binary begins another step without
-- setting it, so the type tells for which action it was set.
alter table run_queue add column if not exists changing_action text;

-- @step
-- True if the current action of a queued run changes a record. Earlier binaries do not set changing_action, and know these
-- actions only.
create or replace function changes_record(action text, changing_action text) returns boolean
language sql immutable parallel safe as $$
  select changing_action is not distinct from action or action in ('update_status', 'update_record', 'create_shipment') $$;

-- The step at which a run is in the queue; 0 before the first one begins, and for a run of one action.
create or replace function step_number(steps text) returns integer language sql immutable parallel safe as $$
  select coalesce((steps::json ->> 'number')::integer, 0) $$;

-- The attempts of the current step; all attempts of a run of one action.
create or replace function attempts_of_step(attempts integer, steps text) returns integer
language sql immutable parallel safe as $$
  select attempts - coalesce((steps::json ->> 'attemptsBefore')::integer, 0) $$;

-- The status of a run that no worker has and that waits for its next attempt.
create or replace function pending_status(attempts integer, steps text) returns text
language sql immutable parallel safe as $$
  select case when attempts_of_step(attempts, steps) > 0 then 'retrying' else 'queued' end $$;

-- The destination of a run of several steps while it waits for its next step to begin.
create or replace function step_destination(business uuid, run uuid) returns text
language sql immutable parallel safe as $$
  select 'steps/' || (get_byte(uuid_send(run), 15) % 8)::text || '/' || business::text $$;

-- @step
drop index concurrently if exists @schema@.run_queue_record_changes;

-- @step
-- The changes of a record by one event take effect in the order of their workflows. Statements of earlier binaries, which name
-- the actions, can use this index, too.
create index concurrently run_queue_record_changes on run_queue (business_id, entity_id, event_id)
  where changes_record(action, changing_action);

-- @step
drop index concurrently if exists @schema@.run_queue_changes;
