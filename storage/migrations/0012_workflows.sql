-- Workflows with their versions and secrets, what the service knows about each, and the workflows that each business
-- starts with.

create table workflows (
  business_id         uuid not null references businesses,
  guid                uuid not null default gen_random_uuid(),
  name                text not null check (name <> ''),
  entity_type         smallint not null check (entity_type between 0 and 3),
  trigger_code        text not null,
  action              jsonb not null,                     -- normalized by the action's check, without secrets
  conditions          jsonb not null default '{}',
  is_active           boolean not null default true,
  is_managed          boolean not null default false,
  ordered             boolean not null default false,
  delay               text,                               -- an ISO 8601 duration
  paused_reason       text,                               -- not null: paused
  paused_at           timestamptz,
  version             integer not null default 1,
  active_since        timestamptz not null default now(),  -- older events are not matched
  created_at          timestamptz not null default now(),
  updated_at          timestamptz not null default now(),
  deleted_at          timestamptz,
  epoch               bigint not null default 0,
  sealed_credentials  bytea,                              -- actions::Credentials; the action shows its headers as stars
  template_codes      text[] not null default '{}',       -- templates that the action uses, also as partials of its texts
  judged_since        timestamptz not null default now(),  -- earlier failures do not count
  primary key (business_id, guid),
  constraint workflows_pause_whole check ((paused_reason is null) = (paused_at is null))
);

create index workflows_by_epoch on workflows (epoch);

create table workflow_versions (
  business_id  uuid not null,
  workflow_id  uuid not null,
  version      integer not null,
  definition   jsonb not null,  -- name, trigger, action, conditions, ordered, delay
  created_at   timestamptz not null default now(),
  primary key (business_id, workflow_id, version)
);

-- The definition that a version keeps.
create function workflow_definition(w workflows) returns jsonb language sql stable as $$
  select jsonb_build_object('name', w.name, 'entityType', w.entity_type, 'trigger', w.trigger_code, 'action', w.action,
                            'conditions', w.conditions, 'ordered', w.ordered, 'delay', w.delay) $$;

create table workflow_secrets (
  business_id  uuid not null,
  workflow_id  uuid not null,
  created_at   timestamptz not null default clock_timestamp(),
  expires_at   timestamptz,          -- set when the secret is rotated
  sealed       bytea not null,
  primary key (business_id, workflow_id, created_at)
);

-- Times at which a workflow was switched on or off. They explain why it did not fire for an event.
create table workflow_switches (
  business_id  uuid not null,
  workflow_id  uuid not null,
  at           timestamptz not null default clock_timestamp(),
  is_active    boolean not null,
  primary key (business_id, workflow_id, at)
);
create function record_workflow_switch() returns trigger language plpgsql as $$
begin
  insert into workflow_switches (business_id, workflow_id, is_active) values (new.business_id, new.guid, new.is_active);
  return null;
end $$;
create trigger record_switch after insert or update of is_active on workflows for each row
  execute function record_workflow_switch();

-- Each change of a workflow advances the epoch in the same transaction and stores it in the workflow. The matcher reads
-- the epoch in the same snapshot as the events, so that no event is matched with a workflow as it was before the event. A
-- statement that changes a secret also updates its workflow.
create table workflow_epoch (
  only_row  boolean primary key default true check (only_row),
  epoch     bigint not null
);
insert into workflow_epoch (epoch) values (1);

create function advance_workflow_epoch() returns trigger language plpgsql as $$
begin
  update workflow_epoch set epoch = epoch + 1 returning epoch into new.epoch;
  perform pg_notify('waybill_workflows', '');
  return new;
end $$;
create trigger advance_epoch before insert or update on workflows for each row execute function advance_workflow_epoch();

-- Templates show the business's name, so workers read its workflows again when it changes.
create function touch_business_workflows() returns trigger language plpgsql as $$
begin
  update workflows set updated_at = updated_at where business_id = new.guid;
  return null;
end $$;
create trigger touch_workflows after update of name on businesses for each row
  when (old.name is distinct from new.name) execute function touch_business_workflows();

-- A workflow that fails for days is paused. Only failures since judged_since count: since it was created, changed, switched
-- on or resumed.
create function restart_judged_since() returns trigger language plpgsql as $$
begin
  new.judged_since = now();
  return new;
end $$;
create trigger restart_judged_since before update on workflows for each row
  when ((old.paused_reason is not null and new.paused_reason is null) or (new.is_active and not old.is_active)
        or new.version <> old.version)
  execute function restart_judged_since();

-- Results of the duties that check workflows. They are not columns of workflows, because each write there makes every
-- worker read the workflow again.
create table workflow_health (
  business_id      uuid not null,
  workflow_id      uuid not null,
  succeeded_at     timestamptz,  -- the last success that was found
  expected_weekly  bigint,       -- firings it would have had in the 7 days before it was configured
  primary key (business_id, workflow_id)
);

-- The number of firings of each workflow, by hour. Workers add to it once a minute; a crash loses the last minute.
create table workflow_firings (
  business_id  uuid not null,
  workflow_id  uuid not null,
  hour         timestamptz not null,
  count        bigint not null check (count > 0),
  primary key (business_id, workflow_id, hour)
) with (fillfactor = 70);
create index workflow_firings_by_hour on workflow_firings (hour);

-- Events that could not be matched with a workflow, because the worker cannot read its action, trigger or conditions: a
-- newer version or plain SQL wrote them. The row is written in the transaction that takes the event off the outbox, and
-- deleted in the one that matches it later and queues the run.
create table postponed_matches (
  business_id  uuid not null,
  workflow_id  uuid not null,
  event_id     bigint not null,
  at           timestamptz not null,  -- time of the event
  primary key (business_id, workflow_id, event_id, at)
);
create index postponed_matches_by_workflow on postponed_matches (workflow_id, event_id);

-- Workflows run in the order of created_at, so each is created a microsecond after the one before.
create function add_managed_workflows(business uuid) returns void language sql as $$
  with added as (
    insert into workflows (business_id, name, entity_type, trigger_code, action, conditions, is_active, is_managed,
                           created_at)
    select business, m.name, 1, 'shipment_status_changed', m.action, m.conditions, m.is_active, true,
           now() + m.number * interval '1 microsecond'
    from (values
      (0, 'Order shipped when a shipment of it is underway or delivered', true,
       '{"type": "update_status", "recipient": "order", "template": "shipped", "status": "shipped",
         "whenAllShipments": null}'::jsonb,
       '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]}}'::jsonb),
      (1, 'Order delivered when all its shipments are', true,
       '{"type": "update_status", "recipient": "order", "template": "delivered", "status": "delivered",
         "whenAllShipments": "delivered"}',
       '{"orderId": {"exists": true}, "status": {"in": ["delivered", "cancelled"]}}'),
      -- Switched on by the first integration with push_tracking, see switch_push_tracking.
      (2, 'Push tracking to the store when a shipment is underway or delivered', false,
       '{"type": "push_tracking"}',
       '{"orderId": {"exists": true}, "status": {"in": ["collected", "in_transit", "out_for_delivery", "delivered"]},
         "previous.status": {"nin": ["collected", "in_transit", "out_for_delivery", "delivered"]}}')
    ) m (number, name, is_active, action, conditions)
    returning *
  )
  insert into workflow_versions (business_id, workflow_id, version, definition)
  select business_id, guid, version, workflow_definition(added) from added $$;
revoke execute on function add_managed_workflows(uuid) from public;

create function add_workflows_of_new_business() returns trigger language plpgsql as $$
begin
  perform add_managed_workflows(new.guid);
  return null;
end $$;
create trigger add_managed_workflows after insert on businesses for each row
  execute function add_workflows_of_new_business();
