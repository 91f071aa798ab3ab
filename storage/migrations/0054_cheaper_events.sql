-- Cheaper events of orders that change one by one (docs/decisions/0047).

-- The cause of an event, as in 0009_event_triggers.sql. A key of a constant takes fewer instructions than two new objects.
create or replace function event_cause() returns jsonb language sql stable
return coalesce(
  case when session_user = current_user or pg_has_role(session_user, current_user, 'member')
    then nullif(current_setting('waybill.cause', true), '')::jsonb end,
  jsonb_set('{"by": {"type": "sql"}}', '{by,name}', to_jsonb(session_user)));

-- The event of an order that changed, its row in pending_events, and the changes of the numbers of records. Changes of deleted
-- orders are no events. Every function and operator is qualified, as in 0009_event_triggers.sql. PostgreSQL prepares each
-- expression again in each transaction, and a `when` in each statement, so the function itself tests for deleted orders, and
-- evaluates the other conditions of deletions only for them.
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
  values (event_id, event_at, new.business_id, new.guid, 0, @schema@.event_cause(),
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
create or replace trigger event_update after update on orders for each row execute function record_order_update();
