-- The search for the runs before an ordered run passes over those that ended.

-- An ordered run waits for runs of this event and later ones only, because earlier runs of its workflow and record have ended.
-- Null: it waits for all earlier runs.
alter table run_queue add column ordered_from bigint;
