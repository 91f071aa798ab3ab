-- Runs that wait for an event of their record, or that such an event cancels.

alter table workflows add column cancel_on jsonb;

-- watch_after: null unless later events of the record concern the run; the id of the event after which they count.
-- watched_step: the step in which the run waits for such an event; 0 while it does not.
-- awaited_event: the event that ends this wait, once it is matched.
alter table run_queue
  add column watch_after bigint,
  add column watched_step smallint not null default 0,
  add column awaited_event bigint;

create index run_queue_watching on run_queue (business_id, entity_id, workflow_id, workflow_version, watched_step)
where watch_after is not null;

-- Finds the workflows with a version whose runs may watch their record.
create index workflow_versions_watching on workflow_versions (business_id, workflow_id)
where definition ->> 'trigger' like '5:%';

-- The step in which a run with these stored steps waits for an event; 0 if it does not.
create function watched_step(steps text) returns smallint language sql immutable parallel safe as $$
  select case when (steps::json ->> 'awaits')::boolean then step_number(steps) else 0 end::smallint $$;

-- True if a run with these stored steps waits for an event, and has not looked at this one yet.
create function awaits_further(event bigint, steps text) returns boolean language sql immutable parallel safe as $$
  select event is not null and watched_step(steps) > 0 and event > (steps::json ->> 'lookedTo')::bigint $$;

-- The last event of a record that is visible; 0 without one.
create function last_event(business uuid, record uuid) returns bigint language sql stable as $$
  select coalesce((select e.id from events e where e.business_id = business and e.entity_id = record order by e.id desc limit 1), 0) $$;

-- The audit log also has the new column. The triggers keep the fields that they have.
do $$
declare
  audit record;
begin
  for audit in select tgname as name, pg_get_triggerdef(oid) as definition from pg_trigger
               where tgrelid = 'workflows'::regclass and tgname in ('audit_insert', 'audit_change') loop
    execute format('drop trigger %I on workflows', audit.name);
    execute regexp_replace(audit.definition, '\)$', ', ''cancelOn=cancel_on'')');
  end loop;
end $$;
