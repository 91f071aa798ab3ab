-- Dispatches: shipments that a driver delivers with a vehicle, in the order of a route. A shipment's dispatch_id names its
-- dispatch; the triggers below keep the stops in step with it.

create table dispatches (
  business_id      uuid not null references businesses,
  guid             uuid not null default gen_random_uuid(),
  name             text not null check (name <> ''),
  status           text not null default 'draft'
                   check (status in ('draft', 'ready', 'in_progress', 'completed', 'cancelled')),
  driver_id        uuid,
  vehicle_id       uuid,
  planned_date     timestamptz(3) not null,
  started_at       timestamptz(3),
  ended_at         timestamptz(3),  -- completed or cancelled
  notes            text,
  route_id         uuid not null default gen_random_uuid(),
  distance_km      numeric not null default 0,
  duration         interval not null default '0',
  created_at       timestamptz not null default now(),  -- orders the list, so to the microsecond
  updated_at       timestamptz(3) not null default now(),
  deleted_at       timestamptz(3),
  primary key (business_id, guid),
  constraint dispatches_times_in_range check (
    least(planned_date, started_at, ended_at) >= timestamptz '0001-01-01 00:00:00+00'
    and greatest(planned_date, started_at, ended_at) < timestamptz '10000-01-01 00:00:00+00')
);
create unique index dispatches_route_unique on dispatches (business_id, route_id);
create unique index dispatches_vehicle_out on dispatches (business_id, vehicle_id) where status = 'in_progress';
create unique index dispatches_driver_out on dispatches (business_id, driver_id) where status = 'in_progress';
create index dispatches_by_creation on dispatches (business_id, created_at, guid) where deleted_at is null;
create index dispatches_by_status on dispatches (business_id, status, ended_at) where deleted_at is null;
create trigger touch before update on dispatches for each row execute function touch_updated_at();

create table dispatch_stops (
  business_id    uuid not null,
  dispatch_id    uuid not null,
  shipment_id    uuid not null,
  sequence       integer not null,
  latitude       float8,    -- null: the address cannot be located
  longitude      float8,
  arrives_after  interval,  -- after the dispatch's planned date
  ended_as       text,      -- status of the shipment when the dispatch ended
  primary key (business_id, dispatch_id, shipment_id)
);
create index dispatch_stops_by_sequence on dispatch_stops (business_id, dispatch_id, sequence);

-- The duration as `3h 45m`.
create function hours_and_minutes(duration interval) returns text language sql immutable as $$
  select floor(extract(epoch from duration) / 3600) || 'h ' || floor(extract(epoch from duration) / 60)::bigint % 60 || 'm' $$;

create function is_final(shipment_status text) returns boolean language sql immutable as $$
  select shipment_status in ('delivered', 'returned', 'cancelled') $$;

-- Ends a dispatch with the status `outcome`, completed or cancelled. If it was in progress, its vehicle and driver become
-- available. Shipments that are not final leave the dispatch.
create function end_dispatch(business uuid, dispatch uuid, outcome text) returns void language plpgsql as $$
declare
  dispatch_row dispatches;
begin
  select * into dispatch_row from dispatches where business_id = business and guid = dispatch for update;
  update dispatches set status = outcome, ended_at = now() where business_id = business and guid = dispatch;
  if dispatch_row.status = 'in_progress' then
    update vehicles
    set status = case status when 'in_use' then 'available' else status end,
        current_driver_id = nullif(current_driver_id, dispatch_row.driver_id)
    where business_id = business and guid = dispatch_row.vehicle_id;
    update drivers set status = 'available'
    where business_id = business and guid = dispatch_row.driver_id and status = 'on_duty';
  end if;
  update dispatch_stops t set ended_as = s.status
  from shipments s
  where t.business_id = business and t.dispatch_id = dispatch and s.business_id = business and s.guid = t.shipment_id;
  update shipments set dispatch_id = null
  where business_id = business and dispatch_id = dispatch and not is_final(status);
end $$;
revoke execute on function end_dispatch(uuid, uuid, text) from public;

-- Completes a dispatch in progress if all its shipments are final. Every transaction locks shipments before their
-- dispatch: of two that end the last two shipments, the second waits here and then sees the change of the first.
create function complete_dispatch_if_done(business uuid, dispatch uuid) returns void language plpgsql as $$
begin
  perform from dispatches where business_id = business and guid = dispatch and status = 'in_progress';
  if not found then return; end if;
  perform from dispatches where business_id = business and guid = dispatch and status = 'in_progress' for update;
  if not found then return; end if;
  perform from shipments
  where business_id = business and dispatch_id = dispatch and deleted_at is null and not is_final(status) limit 1;
  if not found then perform end_dispatch(business, dispatch, 'completed'); end if;
end $$;
revoke execute on function complete_dispatch_if_done(uuid, uuid) from public;

-- Changes stops and status of a dispatch when a shipment enters it, leaves it or becomes final. The conditions of the
-- triggers below skip shipments without a dispatch, at the cost of one comparison.
create function follow_shipment() returns trigger language plpgsql
security definer set search_path to pg_catalog, @schema@, pg_temp as $$
declare
  is_in boolean := tg_op <> 'DELETE' and new.dispatch_id is not null and new.deleted_at is null;
  was_in boolean := tg_op <> 'INSERT' and old.dispatch_id is not null and old.deleted_at is null;
  same boolean := is_in and was_in and new.dispatch_id = old.dispatch_id;
begin
  if was_in and not same then
    delete from dispatch_stops s using dispatches d
    where s.business_id = old.business_id and s.dispatch_id = old.dispatch_id and s.shipment_id = old.guid
      and d.business_id = s.business_id and d.guid = s.dispatch_id and d.status in ('draft', 'ready');
    perform complete_dispatch_if_done(old.business_id, old.dispatch_id);
  end if;
  if is_in and not same then
    insert into dispatch_stops (business_id, dispatch_id, shipment_id, sequence)
    select new.business_id, d.guid, new.guid,
           coalesce((select max(s.sequence) from dispatch_stops s
                     where s.business_id = d.business_id and s.dispatch_id = d.guid), 0) + 1
    from dispatches d
    where d.business_id = new.business_id and d.guid = new.dispatch_id
      and d.status in ('draft', 'ready', 'in_progress') and d.deleted_at is null
    on conflict do nothing;
  end if;
  if same and is_final(new.status) and not is_final(old.status) then
    perform complete_dispatch_if_done(new.business_id, new.dispatch_id);
  end if;
  return null;
end $$;
revoke execute on function follow_shipment() from public;
create trigger dispatch_after_insert after insert on shipments for each row
  when (new.dispatch_id is not null) execute function follow_shipment();
create trigger dispatch_after_update after update on shipments for each row
  when ((old.dispatch_id is not null or new.dispatch_id is not null)
        and (old.status, old.dispatch_id, old.deleted_at) is distinct from (new.status, new.dispatch_id, new.deleted_at))
  execute function follow_shipment();
create trigger dispatch_after_delete after delete on shipments for each row
  when (old.dispatch_id is not null) execute function follow_shipment();
