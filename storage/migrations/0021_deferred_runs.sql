-- Runs that are queued before they are rendered, and events that are matched with a workflow later.

-- A run with the request 'null' is rendered from its event by the worker that claims it. Workers of earlier versions cannot
-- do that: such runs are queued only while every living worker says that it can.
alter table workers add column renders_deferred boolean;

-- Number of changes by workflows that led to the event; null: queued by an earlier version, read it from the event.
alter table run_queue add column depth integer;

-- An event's match with a workflow that the worker cannot read: its action, trigger or conditions are of a newer version, or
-- were changed by SQL. The row is written in the transaction that takes the event off the outbox, and leaves in the one that
-- queues the run, if the event fires the workflow after all.
create table postponed_matches (
  business_id  uuid not null,
  workflow_id  uuid not null,
  event_id     bigint not null,
  at           timestamptz not null,  -- of the event
  primary key (business_id, workflow_id, event_id, at)
);
create index postponed_matches_by_workflow on postponed_matches (workflow_id, event_id);
