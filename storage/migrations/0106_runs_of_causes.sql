-- One statement changes the orders of several runs. The setting waybill.cause is then the cause that the changes have in common,
-- and after it a line for each order: its guid, and that of the run that changes it. The JSON itself has no line feed.
create or replace function event_cause() returns jsonb language sql stable
return coalesce(
  case when session_user = current_user or pg_has_role(session_user, current_user, 'member')
    then nullif(split_part(current_setting('waybill.cause', true), e'\n', 1), '')::jsonb end,
  jsonb_set('{"by": {"type": "sql"}}', '{by,name}', to_jsonb(session_user)));

-- The cause of the change of a record.
create function event_cause_of(record uuid) returns jsonb language sql stable
return case
  when strpos(current_setting('waybill.cause', true), e'\n') > 0
       and (session_user = current_user or pg_has_role(session_user, current_user, 'member'))
    then coalesce(jsonb_set(event_cause(), '{run}',
                            to_jsonb(substr(current_setting('waybill.cause', true),
                                            nullif(strpos(current_setting('waybill.cause', true), e'\n' || record || ' '), 0) + 38,
                                            36))),
                  event_cause())
  else event_cause() end;

create or replace function record_order_update() returns trigger language plpgsql security definer as $$
declare
  event_id bigint;
  event_at timestamptz;
begin
  if old.deleted_at is not null or new.deleted_at is not null then
    if old.deleted_at is not null and new.deleted_at is not null then
      return null;
    end if;
    insert into @schema@.record_counts (business_id, entity_type, delta)
    values (new.business_id, 0, case when new.deleted_at is null then 1 else -1 end);
  end if;
  event_id := pg_catalog.nextval('@schema@.event_ids');
  event_at := pg_catalog.clock_timestamp();
  insert into @schema@.events (id, at, business_id, entity_id, entity_type, cause, order_before, order_after)
  values (event_id, event_at, new.business_id, new.guid, 0, @schema@.event_cause_of(new.guid),
          case when old.deleted_at is null then old end, case when new.deleted_at is null then new end);
  insert into @schema@.pending_events (shard, id, business_id, at)
  values (@schema@.shard_of(new.business_id), event_id, new.business_id, event_at);
  if old.status operator(pg_catalog.<>) new.status or old.deleted_at is not null or new.deleted_at is not null then
    insert into @schema@.status_counts (business_id, entity_type, status_before, status_after, records)
    values (new.business_id, 0, case when old.deleted_at is null then old.status end,
            case when new.deleted_at is null then new.status end, 1);
  end if;
  if @schema@.is_notify_due() then
    perform pg_catalog.pg_notify('waybill_events', '');
  end if;
  return null;
end $$;
