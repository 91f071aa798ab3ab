-- Alerts: messages that tell a business about failures of its workflows, imports and destinations.

-- Null: the product's default, see docs/alerts.md.
alter table business_defaults
  add column alert_emails text[],
  add column alert_webhook_url text,
  add column sealed_alert_secret bytea,
  add column alert_causes text[],
  add column alert_minutes integer,
  add constraint business_defaults_alert_webhook_whole
    check ((alert_webhook_url is null) = (sealed_alert_secret is null));

drop trigger audit on business_defaults;
create trigger audit after insert or update or delete on business_defaults for each row
  execute function record_audit('business', 'business_id', '', 'carrier_id=defaultCarrier',
    'service_level=defaultServiceLevel', 'length=defaultDimensions.length', 'width=defaultDimensions.width',
    'height=defaultDimensions.height', 'unit=defaultDimensions.unit', 'email_enabled=notifications.emailEnabled',
    'push_enabled=notifications.pushEnabled', 'alert_emails=alerts.emails', 'alert_webhook_url=alerts.webhook.url',
    'sealed_alert_secret!alerts.webhook.secret', 'alert_causes=alerts.on', 'alert_minutes=alerts.minutes');

-- The failures of one workflow, or of one integration, that have one cause. The row is written in the transaction that
-- records the failure, and deleted when a window ends without a further failure.
create table alerts (
  business_id  uuid not null,
  cause        text not null
               check (cause in ('run_dead', 'workflow_paused', 'import_failed', 'destination_down')),
  subject_id   uuid not null,      -- the workflow; of import_failed the integration
  count        bigint not null,    -- failures that no message has told of; the following columns describe them
  run_id       uuid,               -- the last one's run; of import_failed that of the import
  failed_from  timestamptz,        -- creation of the oldest run
  failed_to    timestamptz,        -- creation of the newest run
  told_at      timestamptz,        -- the last message; null: none
  due_at       timestamptz not null default now(),  -- the next message may be made
  primary key (business_id, cause, subject_id)
) with (fillfactor = 50);
create index alerts_due on alerts (due_at);

-- Messages that are not delivered yet. They have no texts: those are made from the run for each attempt, so personal data
-- that is erased from the run is in no later attempt.
create table alert_messages (
  business_id  uuid not null,
  guid         uuid not null default gen_random_uuid(),
  channel      text not null check (channel in ('email', 'webhook')),
  cause        text not null,
  subject_id   uuid not null,
  count        bigint not null,
  run_id       uuid,
  failed_from  timestamptz,
  failed_to    timestamptz,
  created_at   timestamptz not null default now(),
  attempts     integer not null default 0,
  due_at       timestamptz not null default now(),  -- while it is being sent: the end of the claim
  primary key (business_id, guid)
);
create index alert_messages_due on alert_messages (due_at);

-- True if a business is to be told of failures with this cause.
create function wants_alert(d business_defaults, cause text) returns boolean language sql immutable as $$
  select (coalesce(cardinality(d.alert_emails), 0) > 0 or d.alert_webhook_url is not null)
         and (d.alert_causes is null or cause = any (d.alert_causes)) $$;

-- Counts failures, if the business is to be told of them.
create function count_failures(business uuid, failed_cause text, subject uuid, failed_run uuid, oldest timestamptz,
                               newest timestamptz, failures bigint) returns void language sql as $$
  insert into alerts as a (business_id, cause, subject_id, count, run_id, failed_from, failed_to)
  select business, failed_cause, subject, failures, failed_run, oldest, newest
  from business_defaults d where d.business_id = business and wants_alert(d, failed_cause)
  on conflict (business_id, cause, subject_id) do update
  set count = a.count + excluded.count, run_id = excluded.run_id,
      failed_from = least(a.failed_from, excluded.failed_from),
      failed_to = greatest(a.failed_to, excluded.failed_to) $$;
revoke execute on function count_failures(uuid, text, uuid, uuid, timestamptz, timestamptz, bigint) from public;

create function count_pause() returns trigger language plpgsql security definer set search_path to @schema@, pg_temp as $$
begin
  perform count_failures(new.business_id, 'workflow_paused', new.guid, null, null, null, 1);
  return null;
end $$;
revoke execute on function count_pause() from public;
create trigger count_pause after update of paused_reason on workflows for each row
  when (old.paused_reason is null and new.paused_reason is not null) execute function count_pause();

-- The latencies of the succeeded runs of a business's hour, of all workflows: sums of run_counts, so that statistics over
-- many workflows add one histogram for each hour. Only kept for hours with many counts. A row is right if its number of
-- runs is that of the counts; otherwise the counts are read, and a duty writes the row again.
create table run_sums (
  business_id  uuid not null,
  start        timestamptz not null,
  succeeded    bigint not null,
  latencies    jsonb not null,
  primary key (business_id, start)
) with (fillfactor = 80);
create index run_sums_by_start on run_sums (start);
